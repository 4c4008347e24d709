import { appendFileSync } from 'node:fs';

/** Whether `npm run soak` runs the tests: those that have a long form take it. */
export const IS_SOAK = (process.env['SOAK'] ?? '') !== '';

/** Where the soak gathers what its tests did; unset elsewhere. */
const FILE = process.env['SOAK_COUNTS'];

/** Faults that have happened, once the test has seen that they did. The soak prints how many of each kind. */
export function countFault(kind: string, count = 1): void {
  if (count > 0) write({ fault: kind, count });
}

/** The same of the simulation. */
export function countSimulated(kind: string, count: number): void {
  write({ simulated: kind, count });
}

/** What was compared after faults, for instance `uploads`. */
export function countChecked(what: string, count: number): void {
  write({ checked: what, count });
}

function write(line: object): void {
  // One write: test files that run side by side share the file.
  if (FILE !== undefined) appendFileSync(FILE, `${JSON.stringify(line)}\n`);
}
