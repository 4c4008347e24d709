import { FILE } from '../../../csv/findings.js';
import { type FamilyName, familyNamed } from '../../../domain/families/index.js';
import { CommandError } from '../terminal.js';
import { divide } from './divide.js';
import type { DividedFile, PartStore, StoredPart } from './part-store.js';
import { Problems } from './problems.js';
import type { Progress } from './progress.js';
import { openSource } from './source.js';

/** A file that cannot be divided into requests, and why. */
export interface MalformedFile {
  readonly name: string;
  readonly rows: number;
  readonly problems: Problems;
}

/**
 * Divides the files of a command into parts.
 *
 * @param refused prints why a file cannot be divided, and returns what is to be thrown then
 * @throws CommandError
 */
export async function divideFiles(
  paths: readonly string[],
  family: FamilyName,
  store: PartStore,
  progress: Progress,
  refused: (file: MalformedFile) => CommandError,
  signal: AbortSignal,
): Promise<DividedFile[]> {
  if (paths.filter((path) => path === '-').length > 1) {
    throw new CommandError('standard input can be given once only', 2);
  }
  const files: DividedFile[] = [];
  for (const [index, path] of paths.entries()) {
    files.push(await divideFile(path, index, family, store, progress, refused, signal));
  }
  return files;
}

/** @param index which file of the command it is */
async function divideFile(
  path: string,
  index: number,
  family: FamilyName,
  store: PartStore,
  progress: Progress,
  refused: (file: MalformedFile) => CommandError,
  signal: AbortSignal,
): Promise<DividedFile> {
  const source = await openSource(path, progress, signal);
  try {
    const parts: StoredPart[] = [];
    const problems = new Problems();
    const { rows, hint } = await divide(familyNamed(family), source, {
      part: (part) => {
        signal.throwIfAborted();
        if (!problems.any) parts.push(store.add(index, part));
      },
      malformedRow: ({ number }, message) => {
        problems.add(FILE, number, `row ${number}: ${message}`);
      },
      problem: (column, message) => {
        problems.add(column, 0, message);
      },
    });
    progress.clear();
    if (problems.any) {
      if (hint !== undefined) problems.addForCertain(FILE, hint);
      throw refused({ name: source.name, rows, problems });
    }
    progress.line(`${source.name}: ${rows} rows in ${parts.length} requests`);
    return { name: source.name, digest: source.digest(), rows, parts };
  } finally {
    progress.clear();
    await source.close();
  }
}
