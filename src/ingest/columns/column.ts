import type { RowBlock } from '../parse/row-block.js';
import type { ColumnSpace } from './column-space.js';

/** Checks one column's values a block at a time. What breaks a rule is told to the kernel's `report`. */
export interface CheckedColumn {
  /** @param field the column's place in the header */
  take(block: RowBlock, field: number): void;
}

/**
 * A column stored once a row, inside the array of its overwrite key. It keeps the values that it
 * takes, in the form in which the warehouse takes them.
 */
export interface StoredColumn extends CheckedColumn {
  /** Forgets the values and keeps the memory for the next file. */
  reset(): void;

  /** The Native column, with the rows in the order of their keys, written to memory of the space. */
  encode(space: ColumnSpace): Uint8Array;
}
