import { BLOCK_ROWS, type RowBlock } from '../parse/row-block.js';
import { DAY_OUT_OF_RANGE, NOT_A_DAY, parseDay } from '../validate/dates.js';
import { BROKEN, type DayWindow } from '../validate/rules.js';
import { hasWhitespaceAtEnds } from '../validate/text.js';
import type { CheckedColumn, Report } from './column.js';

/** The date of the overwrite key: checked, and held for the block at hand as day counts. */
export class DayColumn implements CheckedColumn {
  /** Day counts since 1970-01-01 of the block's rows. */
  readonly days = new Int32Array(BLOCK_ROWS);

  constructor(private readonly window: DayWindow | undefined) {}

  take(block: RowBlock, field: number, _keep: boolean, report: Report): void {
    const { bytes, starts, ends, width, rows } = block;
    for (let row = 0, at = field; row < rows; row++, at += width) {
      const start = starts[at]!;
      const end = ends[at]!;
      const day = parseDay(bytes, start, end);
      this.days[row] = day;
      if (day === NOT_A_DAY) report(row, notADay(bytes, start, end));
      else if (day === DAY_OUT_OF_RANGE) report(row, BROKEN.dateRange);
      else if (this.window !== undefined && (day < this.window.first || day > this.window.last)) {
        report(row, BROKEN.dateWindow);
      }
    }
  }
}

function notADay(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return BROKEN.blank;
  return hasWhitespaceAtEnds(bytes, start, end) ? BROKEN.whitespace : BROKEN.kind;
}
