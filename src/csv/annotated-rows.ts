/** Nobody corrects more rows than this by hand, and they would take memory. */
export const MAX_ANNOTATED_ROWS = 100_000;

/** A wrong row with its errors. */
export interface AnnotatedRow {
  /** The header is row 1. */
  readonly row: number;
  readonly values: readonly string[];
  readonly messages: readonly string[];
}

/** The cells of a file of wrong rows with a column `error`, safe to open in spreadsheets. */
export function annotatedLines(
  columns: readonly string[],
  rows: readonly AnnotatedRow[],
): string[][] {
  return [
    [...columns, 'error'],
    ...rows.map(({ row, values, messages }) => [
      // The error stays in its column when a row has too few or too many fields.
      ...columns.map((_, column) => values[column] ?? ''),
      `row ${row}: ${messages.join('; ')}`,
      ...values.slice(columns.length),
    ]),
  ].map((line) => line.map(guarded));
}

/** Beginnings that spreadsheets take for a formula, at once or after trimming. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * The cell with an apostrophe before what a spreadsheet would run as a formula. A plain number such
 * as -1.5 is a value and stays as it is.
 */
export function guarded(cell: string): string {
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}
