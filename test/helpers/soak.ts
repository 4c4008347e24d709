import { appendFileSync } from 'node:fs';

/** Whether `npm run soak` runs the tests: those that have a long form take it. */
export const IS_SOAK = (process.env['SOAK'] ?? '') !== '';

/** Where the soak gathers what its tests did; unset elsewhere. */
const FILE = process.env['SOAK_COUNTS'];

/** A fault that has happened, once the test has seen that it did. The soak prints how many of each kind. */
export function countFault(kind: string): void {
  write({ fault: kind, count: 1 });
}

/** What was compared after faults, for instance `uploads`. */
export function countChecked(what: string, count: number): void {
  write({ checked: what, count });
}

function write(line: object): void {
  // One write: test files that run side by side share the file.
  if (FILE !== undefined) appendFileSync(FILE, `${JSON.stringify(line)}\n`);
}
