/**
 * The warehouse: a ClickHouse server, or the engine in the process (`warehouse/chdb`).
 *
 * The port is as narrow as the engine's own protocol. The SQL above it (migrations, read-back,
 * history) is written once, and no value of a request is ever part of a statement's text: values
 * go in as blocks or as bound parameters.
 */

import type { Logger } from '../ops/logger.js';

/** Integers of more than 53 bits as bigint; dates and UUIDs as text. */
export type QueryParameter = string | number | bigint | readonly (string | number | bigint)[];

/** A Native block: its parts follow one another. `rows` is for metrics and messages. */
export interface NativeBlock {
  readonly rows: number;
  /** What the block's header says of its columns, in order. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly parts: readonly Uint8Array[];
}

/**
 * Keys of one look-up: with 100 bytes each the engine keeps 10 MB, and needs some 50 MB for the
 * join.
 */
export const MOST_ASKED = 100_000;

/** Read-backs, or previews: they have one connection, which is opened for the first of them. */
export type LookUpLane = 'rows' | 'previews';

export interface Warehouse {
  /** Runs one statement that returns nothing (DDL). */
  execute(sql: string): Promise<void>;

  /**
   * Writes one block as one part of `table` (named without the database). Resolves when it is on
   * disk. Once it has resolved or rejected, nobody reads the block's parts any more, so their
   * memory can be used again.
   */
  insert(table: string, block: NativeBlock): Promise<void>;

  /**
   * Rows as objects; 64-bit and larger integers come as strings.
   *
   * @param sql with `{name:Type}` placeholders
   * @param parameters at most 128 KiB each, written out: servers take no more
   */
  query<Row>(sql: string, parameters?: Readonly<Record<string, QueryParameter>>): Promise<Row[]>;

  /**
   * Looks up many keys at once. They go beside the statement as data, as its table `asked`.
   * Look-ups wait for no `query`, and those of one lane for none of the other. The whole answer is
   * held in memory: let it have no more rows than `MOST_ASKED`.
   *
   * @param sql a SELECT that does not begin with WITH
   * @param asked at most `MOST_ASKED` rows
   * @throws WarehouseError
   */
  lookUp<Row>(sql: string, asked: NativeBlock, lane?: LookUpLane): Promise<Row[]>;

  close(): Promise<void>;
}

/**
 * Why a statement failed, by the engine's error code and never by its text:
 * `retry`: the same statement may succeed later (also for every code not listed).
 * `memory`: out of memory; worth one try with less. `rejected`: the block of an insert will never be taken.
 */
export type FailureClass = 'retry' | 'memory' | 'rejected';

export class WarehouseError extends Error {
  override readonly name = 'WarehouseError';
  constructor(
    message: string,
    readonly failure: FailureClass,
    /** ClickHouse's error code; undefined when there was no answer. */
    readonly code?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** ClickHouse's codes of a query that reads more, takes longer or needs more memory than it may. */
const OVER_LIMITS: readonly unknown[] = [158, 159, 241];

/** Whether a query has gone beyond the limits in its own settings. */
export function isOverLimits({ code }: WarehouseError): boolean {
  return OVER_LIMITS.includes(code);
}

/** Whether the same statement may succeed later: every one but an insert of a block that is refused. */
export function isPassing(error: unknown): boolean {
  return error instanceof WarehouseError && error.failure !== 'rejected';
}

/**
 * Whether to wait, for a writer with nothing else to write: for every error of the warehouse, also a
 * refused block, because a later program may write it differently. Logs each error.
 */
export function waitsForWarehouse(message: string, logger: Logger): (error: unknown) => boolean {
  return (error) => {
    if (!(error instanceof WarehouseError)) return false;
    logger.warn({ code: error.code }, message);
    return true;
  };
}
