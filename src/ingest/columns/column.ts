import type { ColumnSpace } from './column-space.js';
import type { RowBlock } from '../parse/row-block.js';

/** Told of a value that breaks a rule: its row within the block, and the rule (`BROKEN`). */
export type Report = (row: number, broken: number) => void;

/**
 * Checks one column's values a block at a time, in a loop of its own kind. A column that is stored
 * also keeps the values, in the form in which the warehouse takes them.
 */
export interface CheckedColumn {
  /**
   * @param field the column's place in the header
   * @param keep whether the values are still wanted: once a file has failed they are not
   */
  take(block: RowBlock, field: number, keep: boolean, report: Report): void;
}

/** A column stored once a row, inside the array of its overwrite key. */
export interface StoredColumn extends CheckedColumn {
  /** Forgets the values and keeps the memory for the next file. */
  reset(): void;

  /**
   * The Native column, written to memory of the space.
   *
   * @param order the rows in the order wanted; undefined: as they came
   */
  encode(space: ColumnSpace, order: Int32Array | undefined): Uint8Array;
}
