// What a preview answers. Clients have these types too, so nothing of the service is imported.

/** Sums by column: of cost `impressions`, `clicks` and `cost`, of self-serve `event_value`. */
export type Measures = Readonly<Record<string, number | null>>;

/** What an upload of a file would do now. */
export interface Preview {
  readonly valid: boolean;
  /** By column what is wrong, as the `reason` of a request has it; null when the file is valid. */
  readonly reason: Readonly<Record<string, readonly string[]>> | null;
  /** Data rows; null when the file is not valid. */
  readonly rows: number | null;
  /** Overwrite keys; null when the file is not valid. */
  readonly keys: PreviewKeys | null;
  /** False: the file is not valid, or too large to compare. */
  readonly compared: boolean;
  /** Sums of the file's keys; null when they were not compared. */
  readonly totals: PreviewTotals | null;
  /** Keys with other rows than the file's, the largest changes first, at most 100. */
  readonly replaced: readonly PreviewedKey[];
  readonly warnings: readonly Warning[];
  /** When the comparison began, `YYYY-MM-DDTHH:MM:SS` in UTC. */
  readonly asOf: string;
}

export interface PreviewKeys {
  readonly total: number;
  /** The others are null when the keys were not compared. */
  readonly new: number | null;
  readonly replaced: number | null;
  readonly unchanged: number | null;
}

export interface PreviewTotals {
  /** The largest changes first, at most 50. */
  readonly listed: readonly PreviewTotal[];
  /** How many are not listed. */
  readonly more: number;
}

export interface PreviewTotal {
  /** Of cost. */
  readonly currency?: string;
  /** Of self-serve. */
  readonly event_category?: string;
  readonly before: Measures;
  readonly after: Measures;
}

/** The overwrite key, and what stands there. */
export interface PreviewedKey {
  readonly date: string;
  readonly channel: string;
  /** Of cost. */
  readonly campaign?: string;
  /** Of self-serve. */
  readonly event_category?: string;
  /** Of cost one for each currency, of self-serve exactly one. */
  readonly before: readonly KeyMeasures[];
  readonly after: readonly KeyMeasures[];
  /** The upload whose rows stand there. */
  readonly requestId: string;
  readonly uploadedAt: string;
}

/** Sums by column, and of cost their `currency`. */
export type KeyMeasures = Readonly<Record<string, string | number | null>>;

/** What may be a mistake. A warning never fails a file. */
export interface Warning {
  readonly code: WarningCode;
  /** The column of the file that it is about; `file` when it is about the file. */
  readonly column: string;
  /** Rows of the file as a spreadsheet shows them, at most 20; the header is row 1. */
  readonly rows: readonly number[];
  /** One sentence for a person. */
  readonly message: string;
}

export const WARNING_CODES = [
  'similar-value',
  'new-channel',
  'same-combination',
  'currency-changes',
  'future-date',
  'old-date',
  'missing-days',
  'unusual-total',
  'no-change',
  'deletions',
  'archived-metric',
] as const;
export type WarningCode = (typeof WARNING_CODES)[number];
