import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { format } from '@fast-csv/format';
import {
  annotatedLines,
  type AnnotatedRow,
  MAX_ANNOTATED_ROWS,
} from '../../../csv/annotated-rows.js';
import { type OutputFile, writeOutput } from '../output-file.js';
import { untilInterrupted } from '../process-terminal.js';

/** The wrong rows of a file, to be written as CSV with a column that says what is wrong. */
export class AnnotatedFile {
  private readonly rows = new Map<number, AnnotatedRow>();

  /** Whether some rows are left out, because there are too many. */
  isCut = false;

  get size(): number {
    return this.rows.size;
  }

  /** @param row the header is row 1 */
  add(row: number, values: readonly string[], messages: readonly string[]): void {
    if (this.rows.size === MAX_ANNOTATED_ROWS) this.isCut = true;
    else this.rows.set(row, { row, values, messages });
  }

  /**
   * Writes the rows in the order of the file, with a byte order mark, by which spreadsheets know
   * UTF-8.
   *
   * @throws CommandError
   */
  async write(output: OutputFile, columns: readonly string[]): Promise<void> {
    const sorted = [...this.rows.values()].sort((a, b) => a.row - b.row);
    await untilInterrupted((signal) =>
      pipeline(
        Readable.from(annotatedLines(columns, sorted)),
        format({ writeBOM: true, includeEndRowDelimiter: true }),
        (content: AsyncIterable<Buffer>) => writeOutput(output, content, signal),
      ),
    );
  }
}
