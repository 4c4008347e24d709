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
   * By key: how many combinations it has. Their columns follow, sums of their rows: one a
   * `valueColumns` column of the family, one an `ownTexts` column, then the other texts.
   */
  readonly combinationCounts: Uint32Array;
  readonly combinationColumns: readonly Uint8Array[];
  /**
   * By key: how many CSV rows are stored too: all of them if they are not exactly its combinations,
   * else none. Their columns follow: one a `valueColumns` column, then all texts.
   */
  readonly csvRowCounts: Uint32Array;
  readonly csvRowColumns: readonly Uint8Array[];
  /** By key: how many totals it has; then their columns (cost only, else both are empty). */
  readonly totalCounts: Uint32Array;
  readonly totalColumns: readonly Uint8Array[];
}

/** The verdict on an upload: a pure function of its records. */
export type Verdict =
  | { readonly valid: true; readonly upload: PreparedUpload }
  | { readonly valid: false; readonly reason: string };
