/**
 * A validated upload, encoded: the part of a Native block that differs from upload to upload. Its
 * columns may be in memory that is overwritten after the preparing pool's `release` for it.
 */
export interface PreparedUpload {
  readonly rows: number;
  readonly keys: number;
  /** Days of the keys (`Date`, two bytes each), then the key's two texts as Native strings. */
  readonly keyColumns: readonly Uint8Array[];
  /** By key: how many rows it has; their columns follow: one a `valueColumns` column of the family, then the texts. */
  readonly rowCounts: Uint32Array;
  readonly rowColumns: readonly Uint8Array[];
  /** By key: how many totals it has; then their columns (cost only, else both are empty). */
  readonly totalCounts: Uint32Array;
  readonly totalColumns: readonly Uint8Array[];
}

/** The verdict on an upload: a pure function of its records. */
export type Verdict =
  | { readonly valid: true; readonly upload: PreparedUpload }
  | { readonly valid: false; readonly reason: string };
