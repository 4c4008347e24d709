import { randomUUID } from 'node:crypto';
import { fstatSync, type Stats } from 'node:fs';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { convertedName } from '../../csv/spreadsheet/convert.js';
import { CommandError, INTERRUPTED } from './terminal.js';

/** Where a file goes that a command writes. */
export interface OutputFile {
  readonly path: string;
  /** What is there; undefined: nothing. */
  readonly there: Stats | undefined;
}

/** The pieces of a file. */
type Content = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * Chooses the file that a command makes of another one.
 *
 * @param input the file that is read, which is not written over, also not through a link; `-` is
 *   standard input, which may come from a file
 * @param given the path that was asked for: a file that is there is replaced only then; by default
 *   that of the converted form
 * @param stdin the descriptor of standard input
 * @throws CommandError 2
 */
export async function outputFor(
  input: string,
  given: string | undefined,
  stdin = 0,
): Promise<OutputFile> {
  if (given === undefined && input === '-') {
    throw new CommandError('standard input has no name: give --output, the file to write', 2);
  }
  const path = given ?? convertedName(input);
  const there = await statOf(path);
  if (there === undefined) return { path, there };
  if (there.isDirectory()) throw new CommandError(`${path} is a folder`, 2);
  const read = input === '-' ? fileBehind(stdin) : await statOf(input);
  if (read?.dev === there.dev && read.ino === there.ino) {
    throw new CommandError(`${path} is the file itself, which stays as it is`, 2);
  }
  if (given === undefined) {
    throw new CommandError(`${path} is there already: name it with --output to replace it`, 2);
  }
  return { path, there };
}

/** The question before it is written. */
export function outputQuestion({ path, there }: OutputFile): string {
  return `${there?.isFile() === true ? 'Replace' : 'Write'} ${path}?`;
}

/**
 * Writes the whole content or nothing: a part of a file may be valid. Into what is no file, such as
 * a pipe, it writes directly.
 *
 * @throws CommandError, also when the signal ends it
 */
export async function writeOutput(
  { path, there }: OutputFile,
  content: Content,
  signal?: AbortSignal,
): Promise<void> {
  try {
    if (there === undefined || there.isFile()) await writeWhole(path, there, content, signal);
    else await writeFile(path, content, { signal });
  } catch (error) {
    if (signal?.aborted === true) throw new CommandError('interrupted', INTERRUPTED);
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`${path} cannot be written: ${code ?? 'unknown'}`);
  }
}

async function writeWhole(
  path: string,
  there: Stats | undefined,
  content: Content,
  signal: AbortSignal | undefined,
): Promise<void> {
  // A link to a file stays one.
  const target = there === undefined ? path : await realpath(path);
  const draft = join(dirname(target), `.custom-data-${randomUUID()}.part`);
  let isHeld = false;
  try {
    const mode = there === undefined ? 0o666 : there.mode & 0o777;
    await writeFile(draft, content, { flag: 'wx', flush: true, mode, signal });
    // Not over a file that has come in the meantime. Not all file systems have hard links.
    if (there === undefined) {
      await writeFile(target, '', { flag: 'wx' });
      isHeld = true;
    }
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    if (isHeld) await rm(target, { force: true }).catch(() => undefined);
    throw error;
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
function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}
