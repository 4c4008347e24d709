import { messagesOf } from '../../api/index.js';
import { textOfLines } from '../terminal.js';
import type { Journal } from './journal.js';
import type { MalformedFile } from './divide-file.js';
import type { DividedFile, PartStore, StoredPart } from './part-store.js';
import { Problems } from './problems.js';

/** How many parts of an upload ended how. */
export interface Counts {
  readonly succeeded: number;
  readonly failed: number;
  /** Not sent, or not known to be finished. */
  readonly open: number;
}

export function countsOf(parts: readonly StoredPart[], journal: Journal): Counts {
  const counts = { succeeded: 0, failed: 0, open: 0 };
  for (const { id } of parts) {
    const status = journal.get(id)?.record?.status;
    if (status === 'succeeded') counts.succeeded++;
    else if (status === 'failed') counts.failed++;
    else counts.open++;
  }
  return counts;
}

/** The outcome of a file. Rows are numbered as in the file. */
export interface Summary extends Counts {
  readonly file: string;
  readonly rows: number;
  readonly requests: number;
  /** The ids of the requests that failed. */
  readonly failedRequests: readonly string[];
  /** Why they failed: by column its messages. */
  readonly reason: Readonly<Record<string, readonly string[]>>;
}

/** @returns the summary, and the same as lines for people */
export function summaryOf(
  file: DividedFile,
  journal: Journal,
  store: PartStore,
): { readonly summary: Summary; readonly text: string } {
  const counts = countsOf(file.parts, journal);
  const { succeeded, failed, open } = counts;
  const requests = file.parts.length;
  const outcomes = [
    `${succeeded} succeeded`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(open > 0 ? [`${open} not finished`] : []),
  ];
  const lines = [
    `${file.name}: ${file.rows} rows in ${requests} request${requests === 1 ? '' : 's'}: ${outcomes.join(', ')}`,
  ];
  const problems = new Problems();
  const failedRequests: string[] = [];
  for (const part of file.parts) {
    const record = journal.get(part.id)?.record;
    if (record?.status !== 'failed') continue;
    failedRequests.push(record.requestId);
    lines.push(`  request ${record.requestId} failed`);
    addMessages(problems, messagesOf(record), store.rowNumbers(part));
  }
  const { name, rows } = file;
  return {
    summary: { file: name, rows, requests, ...counts, failedRequests, reason: problems.byColumn() },
    text: textOfLines([...lines, ...problems.lines()]),
  };
}

/** The same of a file of which nothing is sent. */
export function malformedSummary({ name, rows, problems }: MalformedFile): {
  readonly summary: Summary;
  readonly text: string;
} {
  const counts = { requests: 0, succeeded: 0, failed: 0, open: 0, failedRequests: [] };
  return {
    summary: { file: name, rows, ...counts, reason: problems.byColumn() },
    text: textOfLines([name, ...problems.lines()]),
  };
}

/** The API gives the rows of a reason in messages only, so they are taken from there. */
export function addMessages(
  problems: Problems,
  byColumn: Iterable<readonly [string, readonly string[]]>,
  rowNumbers: Uint32Array,
): void {
  for (const [column, messages] of byColumn) {
    for (const message of messages) {
      const more = /^and (\d+) more$/.exec(message);
      const row = /^row (\d+): /.exec(message);
      if (more !== null) problems.addUnsaid(column, Number(more[1]));
      else if (row === null) problems.addOnce(column, message);
      else {
        const number = fileRow(Number(row[1]), rowNumbers);
        problems.add(column, number, `row ${number}: ${message.slice(row[0].length)}`);
      }
    }
  }
}

/** The file's row of a part's row; both count the header as row 1. */
export function fileRow(partRow: number, rowNumbers: Uint32Array): number {
  return partRow === 1 ? 1 : (rowNumbers[partRow - 2] ?? 0);
}
