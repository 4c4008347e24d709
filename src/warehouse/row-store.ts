import type { Family } from '../domain/families/index.js';
import type { PreparedUpload } from '../csv/verdict.js';

/**
 * What the row path writes to the warehouse and asks of it: the port above the SQL.
 *
 * Every write may be repeated and then changes nothing. Every method throws WarehouseError; after
 * `retry` or `memory` the same call may succeed later. Written rows are on disk.
 */
export interface RowStore {
  /**
   * Writes the uploads as one batch: as a whole or, when it throws, perhaps not at all. Reports
   * show the rows of each key's highest version. The uploads' columns are read until this has
   * resolved or rejected.
   *
   * @param uploads of one family, at least one
   */
  writeBatch(family: Family, uploads: readonly UploadToStore[]): Promise<void>;

  /** What a reader finds of written uploads. */
  readBack(family: Family, uploads: readonly UploadToStore[]): Promise<ReadBack>;

  /**
   * Whether a batch that needs as much memory would be taken now. It is tried, and nothing of it is
   * kept.
   */
  hasMemoryFor(size: InsertSize): Promise<boolean>;

  writeErasure(erasure: Erasure): Promise<void>;

  /** By erased account: the version up to which all of it is erased. */
  erasures(): Promise<ReadonlyMap<string, bigint>>;
}

/** A prepared upload with the values that all of its keys share. */
export interface UploadToStore {
  readonly requestId: string;
  readonly account: string;
  readonly version: bigint;
  /** Seconds since the epoch. */
  readonly uploadedAt: number;
  readonly prepared: PreparedUpload;
}

/**
 * What a reader finds of a batch. By version: the rows found, those included that a later upload
 * has already replaced. It lacks uploads of which some rows are neither there nor superseded.
 */
export type ReadBack = ReadonlyMap<bigint, number>;

/** An insert of some size. */
export interface InsertSize {
  /** Decides the shard. */
  readonly account: string;
  readonly keys: number;
  readonly bytes: number;
}

export interface Erasure {
  readonly account: string;
  /** Every upload of the account up to this version is erased: see `domain/version`. */
  readonly version: bigint;
  /** When it was ordered, milliseconds since the epoch. */
  readonly at: number;
}
