/** More rows than this nobody mends by hand; they would only take memory. */
export const MAX_ANNOTATED_ROWS = 100_000;

/** A wrong row with what is wrong with it. */
export interface AnnotatedRow {
  /** The header is row 1. */
  readonly row: number;
  readonly values: readonly string[];
  readonly messages: readonly string[];
}

/**
 * The cells of a file of wrong rows with a column `error`, guarded against spreadsheets that would
 * run them.
 */
export function annotatedLines(
  columns: readonly string[],
  rows: readonly AnnotatedRow[],
): string[][] {
  return [
    [...columns, 'error'],
    ...rows.map(({ row, values, messages }) => [
      // The error stays in its column also where a row has too few fields or too many.
      ...columns.map((_, column) => values[column] ?? ''),
      `row ${row}: ${messages.join('; ')}`,
      ...values.slice(columns.length),
    ]),
  ].map((line) => line.map(guarded));
}

/** What makes spreadsheets take a cell for a formula, now or once they have trimmed it. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * The cell as a spreadsheet shows it without running it: with an apostrophe before what would be a
 * formula. A plain number such as -1.5 is a value and stays as it is.
 */
export function guarded(cell: string): string {
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}
