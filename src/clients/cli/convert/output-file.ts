import type { Stats } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { convertedName } from '../../../csv/spreadsheet/convert.js';
import { CommandError } from '../terminal.js';

/** Where a converted file goes. */
interface OutputFile {
  readonly path: string;
  /** Whether nothing is there that would be replaced. */
  readonly isNew: boolean;
}

/**
 * Chooses where the converted form of a file goes.
 *
 * @param given the path that was asked for: a file that is there is replaced only then
 * @throws CommandError 2
 */
export async function outputFor(input: string, given: string | undefined): Promise<OutputFile> {
  if (given === undefined && input === '-') {
    throw new CommandError('standard input has no name: give --output, the file to write', 2);
  }
  const path = given ?? convertedName(input);
  const there = await statOf(path);
  if (there === undefined) return { path, isNew: true };
  if (there.isDirectory()) throw new CommandError(`${path} is a folder`, 2);
  const own = input === '-' ? undefined : await statOf(input);
  if (own?.dev === there.dev && own.ino === there.ino) {
    throw new CommandError(`${path} is the file itself, which stays as it is`, 2);
  }
  if (given === undefined) {
    throw new CommandError(`${path} is there already: name it with --output to replace it`, 2);
  }
  return { path, isNew: false };
}

/** @throws CommandError */
export async function writeOutput(
  { path, isNew }: OutputFile,
  content: readonly Uint8Array[],
): Promise<void> {
  try {
    // Not over a file that has come in the meantime.
    await writeFile(path, content, { flag: isNew ? 'wx' : 'w' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isNew && code !== 'EEXIST') await rm(path, { force: true }).catch(() => undefined);
    throw new CommandError(`${path} cannot be written: ${code ?? 'unknown'}`);
  }
}

/** What cannot be looked at is met again when the file is written. */
function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}
