import type { Family } from '../domain/families/index.js';
import type { PreparedUpload } from '../csv/prepared-upload.js';

/**
 * What the row path keeps in the warehouse and asks of it: the port above the SQL.
 *
 * Everything may be written again: it changes nothing. Every method throws WarehouseError, and after one
 * that is `retry` or `memory` the same call may succeed later. What has been written is on disk.
 */
export interface RowStore {
  /**
   * Writes the uploads as one batch: as a whole or, when it throws, perhaps not at all. Of each key the
   * rows with the highest version are shown. The uploads' columns are read until it has resolved or rejected.
   *
   * @param uploads of one family, at least one
   */
  writeBatch(family: Family, uploads: readonly UploadToStore[]): Promise<void>;

  /** What a reader finds of uploads that were written. */
  readBack(family: Family, uploads: readonly UploadToStore[]): Promise<ReadBack>;

  /** Whether a batch that takes as much memory would be taken now; tried, and nothing of it is kept. */
  hasMemoryFor(size: InsertSize): Promise<boolean>;

  writeErasure(erasure: Erasure): Promise<void>;

  /** By erased account: the version up to which all of it is erased. */
  erasures(): Promise<ReadonlyMap<string, bigint>>;
}

/** A prepared upload with what is the same for all of its keys. */
export interface UploadToStore {
  readonly requestId: string;
  readonly account: string;
  readonly version: bigint;
  /** Seconds since the epoch. */
  readonly uploadedAt: number;
  readonly prepared: PreparedUpload;
}

/** What a reader finds of a batch: every upload's keys at its version, or superseded by a later one. */
export interface ReadBack {
  /** By version: the rows found, those included that a later upload has already replaced. */
  readonly rows: ReadonlyMap<bigint, number>;
  /** Uploads of which something is neither there nor superseded. */
  readonly absent: readonly UploadToStore[];
}

/** An insert of some size. */
export interface InsertSize {
  /** The shard is that of the account. */
  readonly account: string;
  readonly keys: number;
  readonly bytes: number;
}

export interface Erasure {
  readonly account: string;
  readonly version: bigint;
  /** When it was ordered, milliseconds since the epoch. */
  readonly at: number;
}
