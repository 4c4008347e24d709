import { FILE } from '../../../csv/findings.js';
import { type FamilyName, familyNamed } from '../../../domain/families/index.js';
import { CommandError, type Output } from '../terminal.js';
import { divide } from './divide.js';
import type { DividedFile, PartStore, StoredPart } from './part-store.js';
import { Problems } from './problems.js';
import type { Progress } from './progress.js';
import { openSource } from './source.js';
import type { Summary } from './summary.js';

/**
 * Divides the files of a command into parts.
 *
 * @throws CommandError when one of them cannot be uploaded; the reason has been printed then
 */
export async function divideFiles(
  paths: readonly string[],
  family: FamilyName,
  store: PartStore,
  progress: Progress,
  terminal: Output,
  signal: AbortSignal,
): Promise<DividedFile[]> {
  if (paths.filter((path) => path === '-').length > 1) {
    throw new CommandError('standard input can be given once only', 2);
  }
  const files: DividedFile[] = [];
  for (const [index, path] of paths.entries()) {
    files.push(await divideFile(path, index, family, store, progress, terminal, signal));
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
  terminal: Output,
  signal: AbortSignal,
): Promise<DividedFile> {
  const source = await openSource(path, process.stdin, signal, (bytes, size) => {
    progress.bar(bytes, size, `reading ${path}`);
  });
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
      const lines = [source.name, ...problems.lines()];
      const counts = { requests: 0, succeeded: 0, failed: 0, open: 0, failedRequests: [] };
      const summary: Summary = {
        ...counts,
        file: source.name,
        rows,
        reason: problems.byColumn(),
      };
      terminal.result(summary, lines.map((line) => `${line}\n`).join(''));
      throw new CommandError(`${source.name} cannot be uploaded, nothing was sent`);
    }
    progress.line(`${source.name}: ${rows} rows in ${parts.length} requests`);
    return { name: source.name, digest: source.digest(), rows, parts };
  } finally {
    progress.clear();
    await source.close();
  }
}
