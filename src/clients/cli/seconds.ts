import { InvalidArgumentError } from 'commander';

/** Reads the value of an option that takes a duration. */
export function secondsOf(value: string): number {
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It is a whole number of seconds.');
}
