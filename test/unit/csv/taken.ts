import { type CheckedColumn, NumberColumn } from '../../../src/csv/column-kinds.js';
import type { Kernel } from '../../../src/csv/kernel/kernel.js';
import { CsvScanner, RowBlock } from '../../../src/csv/csv-scanner.js';

/**
 * Returns what a column makes of a text without quotes: the rule that it breaks, or the eight bytes
 * that it keeps.
 */
export function takenBy(
  kernel: Kernel,
  column: CheckedColumn,
  text: string,
): { broken: number | undefined; value: DataView } {
  const scanner = new CsvScanner(kernel, 1);
  // Unquoted if that gives the same field.
  const isBare = !/[,\r\n]/.test(text) && text !== '';
  scanner.open([Buffer.from(isBare ? `${text}\n99\n` : `"${text}"\n99\n`)]);
  const block = new RowBlock(kernel, 1);
  expectOne(block.take(1, 1, 1));
  let broken: number | undefined;
  kernel.report = (_row, rule) => {
    broken = rule;
  };
  if (column instanceof NumberColumn) column.reset();
  column.take(block, 0);
  const number = column instanceof NumberColumn ? column.column : undefined;
  const address = number === undefined ? 0 : kernel.calls.numbersOf(number, false);
  const { buffer, byteOffset } = kernel.view(address, 8);
  return { broken, value: new DataView(buffer, byteOffset, 8) };
}

function expectOne(rows: number): void {
  if (rows !== 1) throw new Error(`the text is ${rows} rows`);
}
