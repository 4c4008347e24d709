import type { RowBlock } from '../parse/row-block.js';
import type { DayWindow } from '../validate/rules.js';
import type { CheckedColumn } from './column.js';

/** The date of the overwrite key: checked, and held for the block at hand. */
export class DayColumn implements CheckedColumn {
  /** @param window undefined: any day that the warehouse holds */
  constructor(private readonly window: DayWindow | undefined) {}

  take({ kernel, width, rows }: RowBlock, field: number): void {
    const { first, last } = this.window ?? { first: 0, last: 0x7fff_ffff };
    kernel.calls.takeDays(field, width, rows, first, last);
  }
}
