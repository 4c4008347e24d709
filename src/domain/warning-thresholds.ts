/** When a preview warns. All of them are whole numbers. */
export interface WarningThresholds {
  /** With 10: of more than ten times the usual total of a day, or less than a tenth. */
  readonly unusualFactor: number;
  /** Usual is the median of so many days before. */
  readonly usualDays: number;
  /** With data on fewer of them, nothing is usual. */
  readonly fewestUsualDays: number;
  /** Of dates of cost that lie further back. */
  readonly oldDays: number;
  /** From how many days on a file is expected to have rows of every day. */
  readonly completeDays: number;
}
