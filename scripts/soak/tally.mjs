/** Counts the faults of a soak, chooses its next suite and writes its summary. */

/** How many faults of each kind a soak wants. When it has them, only chance chooses the suites. */
export const WANTED = 10;

/** @param text lines of JSON, as test/support/service/soak.ts writes them */
export function tallyOf(text) {
  const tally = { faults: new Map(), simulated: new Map(), checked: new Map() };
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const { fault, simulated, checked, count } = JSON.parse(line);
    if (fault !== undefined) raise(tally.faults, fault, count);
    if (simulated !== undefined) raise(tally.simulated, simulated, count);
    if (checked !== undefined) raise(tally.checked, checked, count);
  }
  return tally;
}

/** Adds `more` to `tally`. */
export function add(tally, more) {
  for (const [name, counts] of Object.entries(more)) {
    for (const [what, count] of counts) raise(tally[name], what, count);
  }
}

/**
 * Returns the suite to run next. Suites that have not run come first, long ones before others.
 * Then comes the one that causes the rarest kind of fault, until there are enough of each kind.
 * Chance decides between equals. Returns undefined if there is no suite to run.
 */
export function nextSuite(suites, faults, random) {
  const free = suites.filter(({ isUnderWay, hasFailed }) => !isUnderWay && !hasFailed);
  const ranks = free.map(({ runs, kinds, isLong }) =>
    runs === 0
      ? isLong
        ? -2
        : -1
      : Math.min(WANTED, ...[...kinds].map((kind) => faults.get(kind) ?? 0)),
  );
  const lowest = Math.min(...ranks);
  const first = free.filter((_, i) => ranks[i] === lowest);
  return first[Math.floor(random() * first.length)];
}

/** Returns the lines of the summary. It does not know kinds of faults that have never occurred. */
export function summaryOf({ minutes, seed, tally, suites, failures }) {
  const runs = suites.reduce((sum, each) => sum + each.runs, 0);
  const rare = [...tally.faults].filter(([, count]) => count < WANTED).length;
  const never = suites.filter((each) => each.runs === 0).map(({ path }) => path);
  return [
    `soak: ${minutes.toFixed(1)} minutes, --seed ${seed}`,
    `suites: ${runs} runs of ${suites.length - never.length}`,
    ...never.map((path) => `  not run: ${path}`),
    ...section('faults', tally.faults),
    `  kinds with fewer than ${WANTED}: ${rare}`,
    ...section('faults in the simulation', tally.simulated),
    ...section('checked', tally.checked),
    `failures: ${failures.length}`,
    ...failures.map((each) => `  ${each}`),
  ];
}

function section(title, counts) {
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return [`${title}:`, ...sorted.map(([what, count]) => `  ${what}: ${count}`)];
}

function raise(counts, what, count) {
  counts.set(what, (counts.get(what) ?? 0) + count);
}
