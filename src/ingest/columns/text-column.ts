import type { Kernel } from '../kernel/kernel.js';
import type { RowBlock } from '../parse/row-block.js';
import type { ColumnSpace } from './column-space.js';
import type { CheckedColumn, StoredColumn } from './column.js';
import type { TextRule } from './text-rules.js';

/** A column of the kernel that takes texts by a rule. */
function newColumn(kernel: Kernel, rule: TextRule, mayBeBlank: boolean): number {
  const { kind, letters = 0, firstLetter = 0, table } = rule;
  const column = kernel.calls.newTextColumn(kind, letters, firstLetter, mayBeBlank);
  if (table !== undefined) setTable(kernel, column, table);
  return column;
}

function setTable(kernel: Kernel, column: number, table: Uint8Array): void {
  const address = kernel.calls.roomForTable(column, table.length);
  kernel.view(address, table.length).set(table);
}

/** A text column of the overwrite key: checked only, its values are stored once a key. */
export class KeyTextColumn implements CheckedColumn {
  private readonly column: number;

  constructor(
    private readonly kernel: Kernel,
    rule: TextRule,
  ) {
    this.column = newColumn(kernel, rule, false);
  }

  /** Sets the rule's table for the next file. */
  setTable(table: Uint8Array): void {
    setTable(this.kernel, this.column, table);
  }

  take({ kernel, width, rows }: RowBlock, field: number): void {
    kernel.calls.checkTexts(this.column, field, width, rows);
  }
}

/** A text column as Native strings: for each row a varint of the length, then the bytes. */
export class TextColumn implements StoredColumn {
  /** The kernel's. */
  readonly column: number;

  constructor(
    private readonly kernel: Kernel,
    rule: TextRule,
    mayBeBlank: boolean,
  ) {
    this.column = newColumn(kernel, rule, mayBeBlank);
  }

  reset(): void {
    this.kernel.calls.clearTexts(this.column);
  }

  take({ kernel, width, rows }: RowBlock, field: number, keep: boolean): void {
    if (keep) kernel.calls.takeTexts(this.column, field, width, rows);
    else kernel.calls.checkTexts(this.column, field, width, rows);
  }

  encode(space: ColumnSpace): Uint8Array {
    const { calls } = this.kernel;
    const address = calls.orderedTexts(this.column);
    return space.copyOf(this.kernel.view(address, calls.textBytes(this.column)));
  }
}
