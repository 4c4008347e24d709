import { fstatSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandError } from './terminal.js';

/**
 * @param input the file that is read; `-` is standard input, which may come from a file
 * @throws CommandError 2 when the output would be written over it, also through a link
 */
export async function refuseTheFileItself(input: string, output: string, stdin = 0): Promise<void> {
  const read = input === '-' ? fileBehind(stdin) : await statOf(input);
  const written = await statOf(output);
  if (read !== undefined && read.dev === written?.dev && read.ino === written.ino) {
    throw new CommandError(`${output} is the file itself, which stays as it is`, 2);
  }
}

/** Undefined: it is no file, but a terminal or a pipe, or it is closed. */
function fileBehind(descriptor: number): Stats | undefined {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() ? stats : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined: nothing is there. What cannot be looked at is met again when it is opened. */
export function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}
