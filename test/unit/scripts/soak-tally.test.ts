import { expect, it } from '@jest/globals';

interface Tally {
  readonly faults: Map<string, number>;
  readonly simulated: Map<string, number>;
  readonly checked: Map<string, number>;
}
interface Suite {
  readonly path: string;
  readonly runs: number;
  readonly isUnderWay: boolean;
  readonly isLong?: boolean;
  readonly hasFailed: boolean;
  readonly kinds: ReadonlySet<string>;
}
interface Functions {
  readonly tallyOf: (text: string) => Tally;
  readonly add: (tally: Tally, more: Tally) => void;
  readonly nextSuite: (
    suites: readonly Suite[],
    faults: Tally['faults'],
    random: () => number,
  ) => Suite | undefined;
  readonly summaryOf: (facts: {
    minutes: number;
    seed: number;
    tally: Tally;
    suites: readonly Suite[];
    failures: readonly string[];
  }) => string[];
}
const program = new URL('../../../scripts/soak/tally.mjs', import.meta.url).href;
const { tallyOf, add, nextSuite, summaryOf } = (await import(program)) as Functions;

const lines = (...entries: readonly object[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
const suite = (
  path: string,
  runs: number,
  kinds: readonly string[],
  isUnderWay = false,
): Suite => ({
  path,
  runs,
  isUnderWay,
  hasFailed: false,
  kinds: new Set(kinds),
});
const next = (
  suites: readonly Suite[],
  faults: Record<string, number>,
  random = 0,
): string | undefined => nextSuite(suites, new Map(Object.entries(faults)), () => random)?.path;

it('sums up what test files have written, in the order of names', () => {
  const tally = tallyOf(
    lines(
      { fault: 'power lost', count: 1 },
      { fault: 'disk full', count: 12 },
      { checked: 'uploads', count: 7 },
    ),
  );
  add(tally, tallyOf(lines({ fault: 'power lost', count: 2 }, { simulated: 'late', count: 3 })));
  const suites = [suite('a.test.ts', 2, []), suite('b.test.ts', 0, [])];
  const facts = { minutes: 61.26, seed: 5, tally, suites };
  expect(summaryOf({ ...facts, failures: ['c.test.ts: npm test'] })).toEqual([
    'soak: 61.3 minutes, --seed 5',
    'suites: 2 runs of 1',
    '  not run: b.test.ts',
    'faults:',
    '  disk full: 12',
    '  power lost: 3',
    '  kinds with fewer than 10: 1',
    'faults in the simulation:',
    '  late: 3',
    'checked:',
    '  uploads: 7',
    'failures: 1',
    '  c.test.ts: npm test',
  ]);
});

it('begins with what has not run, then goes to the rarest fault', () => {
  const [kills, disks] = [suite('kills', 1, ['killed', 'full']), suite('disks', 1, ['full'])];
  expect(next([kills, suite('new', 0, [])], { killed: 1, full: 1 })).toBe('new');
  const long = { ...suite('long', 0, []), isLong: true };
  expect(next([kills, suite('new', 0, []), long], { killed: 1, full: 1 })).toBe('long');
  expect(next([kills, disks], { killed: 3, full: 4 })).toBe('kills');
  expect(next([{ ...kills, isUnderWay: true }, disks], { killed: 3, full: 4 })).toBe('disks');
});

it('does not run again what has failed', () => {
  const [kills, disks] = [suite('kills', 1, ['killed']), suite('disks', 1, ['full'])];
  const failed = { ...kills, hasFailed: true };
  expect(next([failed, disks], { killed: 1, full: 9 })).toBe('disks');
  expect(next([failed, { ...disks, isUnderWay: true }], {})).toBeUndefined();
});

it('leaves it to chance once there is enough of each, also what counts no faults', () => {
  const suites = [suite('kills', 1, ['killed']), suite('rows', 1, [])];
  expect(next(suites, { killed: 9 }, 0.9)).toBe('kills');
  expect(next(suites, { killed: 11 }, 0.9)).toBe('rows');
});
