import type { Kernel } from '../kernel/kernel.js';
import type { RowBlock } from '../parse/row-block.js';
import type { ColumnSpace } from './column-space.js';
import type { StoredColumn } from './column.js';

export abstract class NumberColumn implements StoredColumn {
  /** The kernel's. */
  readonly column: number;

  constructor(protected readonly kernel: Kernel) {
    this.column = kernel.calls.newNumberColumn();
  }

  reset(): void {
    this.kernel.calls.clearNumbers(this.column);
  }

  abstract take(block: RowBlock, field: number): void;

  encode(space: ColumnSpace): Uint8Array {
    const { calls } = this.kernel;
    const address = calls.orderedNumbers(this.column);
    return space.copyOf(this.kernel.view(address, 8 * calls.rowsOfFile()));
  }
}

/** Whole numbers, Native `UInt64`. */
export class CountColumn extends NumberColumn {
  take({ kernel, width, rows }: RowBlock, field: number): void {
    kernel.calls.takeCounts(this.column, field, width, rows);
  }
}

/** Decimal numbers, Native `Float64`. */
export class AmountColumn extends NumberColumn {
  take({ kernel, width, rows }: RowBlock, field: number): void {
    kernel.calls.takeAmounts(this.column, field, width, rows);
  }
}

/** `true`, `false` or blank, Native `Nullable(Bool)`: a byte a row that says whether it is null, then the values. */
export class BooleanColumn extends NumberColumn {
  take({ kernel, width, rows }: RowBlock, field: number): void {
    kernel.calls.takeBooleans(this.column, field, width, rows);
  }

  override encode(space: ColumnSpace): Uint8Array {
    const { calls } = this.kernel;
    const address = calls.orderedBooleans(this.column);
    return space.copyOf(this.kernel.view(address, 2 * calls.rowsOfFile()));
  }
}
