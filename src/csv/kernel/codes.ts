/** The numbers that the kernel and its callers exchange; both languages read this file. */

/** What is wrong with a row's form; of several the first. */
export enum RowFault {
  none,
  strayQuote,
  textAfterQuote,
  unclosedQuote,
  bareCarriageReturn,
}

/** Which rule a value breaks. */
export enum BrokenRule {
  none,
  blank,
  whitespace,
  tooLong,
  kind,
  dateRange,
  dateWindow,
  integratedChannel,
}

/** Which texts a column takes. */
export enum TextKind {
  /** Any text. */
  plain,
  /** Any text that is not in the column's table. */
  plainOther,
  /** One of the table's texts. */
  listed,
  /** Letters of one case; read as a number in base 26 they have a flag in the table. */
  code,
  /** English letters and digits. */
  metricName,
}

/** The most code points that a text may have. */
export const MAX_CODE_POINTS = 256;
