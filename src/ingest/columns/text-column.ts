import type { Kernel } from '../kernel/kernel.js';
import type { RowBlock } from '../parse/row-block.js';
import type { CheckedColumn } from './column.js';
import type { TextRule } from './text-rules.js';

/** A text column: its values are checked only; they are stored once a key, or with the texts of their row. */
export class TextColumn implements CheckedColumn {
  private readonly column: number;

  constructor(
    private readonly kernel: Kernel,
    { kind, letters = 0, firstLetter = 0, table }: TextRule,
    mayBeBlank: boolean,
  ) {
    this.column = kernel.calls.newTextColumn(kind, letters, firstLetter, mayBeBlank);
    if (table !== undefined) this.setTable(table);
  }

  /** Sets the rule's table for the next file. */
  setTable(table: Uint8Array): void {
    const address = this.kernel.calls.roomForTable(this.column, table.length);
    this.kernel.view(address, table.length).set(table);
  }

  take({ kernel, width, rows }: RowBlock, field: number): void {
    kernel.calls.checkTexts(this.column, field, width, rows);
  }
}
