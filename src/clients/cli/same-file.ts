import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandError } from './terminal.js';

/**
 * @param input the file that is read; `-` is standard input
 * @throws CommandError 2 when the output would be written over it, also through a link
 */
export async function refuseTheFileItself(input: string, output: string): Promise<void> {
  if (input === '-') return;
  const [read, written] = await Promise.all([statOf(input), statOf(output)]);
  if (read !== undefined && read.dev === written?.dev && read.ino === written.ino) {
    throw new CommandError(`${output} is the file itself, which stays as it is`, 2);
  }
}

/** Undefined: nothing is there. What cannot be looked at is met again when it is opened. */
export function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}
