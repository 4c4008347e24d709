import { appendFileSync } from 'node:fs';

/** Whether `npm run soak` runs the tests. Tests that have a long form then use it. */
export const IS_SOAK = (process.env['SOAK'] ?? '') !== '';

/** File in which the soak collects what its tests did; unset elsewhere. */
const FILE = process.env['SOAK_COUNTS'];

/** Counts faults that the test has seen happen. The soak prints the number of each kind. */
export function countFault(kind: string, count = 1): void {
  if (count > 0) write({ fault: kind, count });
}

/** Same as `countFault`, for the simulation. */
export function countSimulated(kind: string, count: number): void {
  write({ simulated: kind, count });
}

/** Counts what was compared after faults, for instance `uploads`. */
export function countChecked(what: string, count: number): void {
  write({ checked: what, count });
}

function write(line: object): void {
  // A single write, because parallel test files share the file.
  if (FILE !== undefined) appendFileSync(FILE, `${JSON.stringify(line)}\n`);
}
