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
 * Divides a file of the command into parts.
 *
 * @param index which file of the command it is
 * @throws CommandError when the file cannot be uploaded; the reason has been printed then
 */
export async function divideFile(
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
    const { rows } = await divide(familyNamed(family), source, {
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
