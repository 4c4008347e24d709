/**
 * A validated upload, encoded: the part of a Native block that differs from upload to upload. Its
 * columns may be in memory that is overwritten after the preparing pool's `release` for it.
 */
export interface PreparedUpload {
  readonly rows: number;
  readonly keys: number;
  /** Days of the keys (`Date`, two bytes each), then the key's two texts as Native strings. */
  readonly keyColumns: readonly Uint8Array[];
  /**
   * The combinations of each key, as sums of their rows: a column for each of `valueColumns`, one
   * for each of `ownTexts`, then one of the other texts.
   */
  readonly combinations: Elements;
  /**
   * The CSV rows of each key that are stored too: all of them if they are not exactly its
   * combinations, else none. A column for each of `valueColumns`, then one of all texts.
   */
  readonly csvRows: Elements;
  /** The totals of each key (cost only, else both are empty). */
  readonly totals: Elements;
}

/** Of each key several: by key how many, then their Native columns. */
export interface Elements {
  readonly counts: Uint32Array;
  readonly columns: readonly Uint8Array[];
}

/** The verdict on an upload: a pure function of its records. */
export type Verdict =
  | { readonly valid: true; readonly upload: PreparedUpload }
  | { readonly valid: false; readonly reason: string };
