import './patches.js';
import { coverage, isCounting, percent } from './coverage.js';

import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';

import { countChecked, countSimulated } from '../support/service/soak.js';
import { check } from './check.js';
import { World } from './world.js';

/**
 * `--seeds N --from S` runs N seeds, until one finds a violation. With `--coverage` it prints how
 * much of the code has run, and fails when that is too little.
 * `--seed S` runs one seed and writes its trace to standard output.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    /** Continues after a failure. */
    all: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
    /** Same as `coverage`, and prints the lines that have not run. */
    uncovered: { type: 'boolean', default: false },
  },
});
/** Fewer seeds are not expected to reach LEAST_PERCENT. */
const ENOUGH_SEEDS = 100;
const LEAST_PERCENT = 85;

const isOne = values.seed !== undefined;
const first = Number(values.seed ?? values.from);
const seeds = isOne ? 1 : Number(values.seeds);
const failed: number[] = [];
const faultsOfAll = new Map<string, number>();
for (let seed = first; seed < first + seeds; seed++) {
  const started = performance.now();
  const { lines, uploads, time, faults, violations, failures } = await runSeed(seed);
  const milliseconds = Math.round(performance.now() - started);
  if (isOne) console.log(lines.join('\n'));
  const trace = createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);
  const seconds = Math.round(time.elapsed / 1000);
  console.error(
    `seed ${seed}: ${uploads.size} uploads, ${seconds} s, ${time.count} events, trace ${trace} (${milliseconds} ms)`,
  );
  for (const [kind, count] of faults) faultsOfAll.set(kind, (faultsOfAll.get(kind) ?? 0) + count);
  if (violations.length === 0) {
    for (const [kind, count] of faults) countSimulated(kind, count);
    countChecked('simulated uploads', uploads.size);
    countChecked('seeds of the simulation', 1);
    continue;
  }
  failed.push(seed);
  for (const each of [...violations, ...failures].slice(0, 8)) console.error(`  ${each}`);
  if (!values.all) break;
}
const kinds = [...faultsOfAll].sort(([a], [b]) => (a < b ? -1 : 1));
console.error(`faults: ${kinds.map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
const isCovered = !isCounting || reportCoverage();
if (failed.length > 0) {
  console.error(
    `FAILED: ${failed.join(' ')}. To see what happens: npm run simulate -- --seed ${failed[0]}`,
  );
}
// Not `process.exit`: a part of the trace may not be written yet.
process.exitCode = failed.length > 0 || !isCovered ? 1 : 0;

async function runSeed(seed: number): Promise<World> {
  const world = new World(seed);
  const rejected = (error: unknown): void => {
    world.violated(`a rejection that nobody handles: ${stackOf(error)}`);
  };
  process.on('unhandledRejection', rejected);
  try {
    await world.run();
    if (realWork() !== '') world.violated(`work that is not simulated: ${realWork()}`);
    if (world.violations.length === 0) check(world);
  } catch (error) {
    world.violated(`the simulation cannot go on: ${stackOf(error)}`);
  } finally {
    process.off('unhandledRejection', rejected);
  }
  return world;
}

/** What Node waits for besides its output: timers, files, sockets. A seed must leave none. */
function realWork(): string {
  const all = process.getActiveResourcesInfo();
  return all.filter((name) => name !== 'PipeWrap' && name !== 'TTYWrap').join(' ');
}

/** Prints the coverage. Returns whether enough of the service has run. */
function reportCoverage(): boolean {
  let isEnough = true;
  for (const [part, files] of Object.entries(coverage())) {
    const lines = percent(files);
    console.error(`${part}: ${lines.toFixed(1)} % of the lines have run`);
    isEnough &&= lines >= LEAST_PERCENT;
    if (!values.uncovered) continue;
    for (const { file, uncovered, covered } of files) {
      if (uncovered.length > 0) console.error(`  ${file}: ${covered} have run, not these:`);
      for (const line of uncovered) console.error(`    ${line}`);
    }
  }
  return isEnough || seeds < ENOUGH_SEEDS;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
