import { printableLine, type Terminal } from '../terminal.js';

const REDRAW_MS = 100;
const BAR_CELLS = 24;

/** The progress of a command: one line that is redrawn on a terminal, plain lines elsewhere. */
export class Progress {
  private drawnAt = 0;
  private isDrawn = false;

  constructor(private readonly terminal: Terminal) {}

  /** Shown on a terminal only, and not too often. */
  bar(done: number, total: number, text: string): void {
    const { columns } = this.terminal;
    if (columns === undefined) return;
    const now = Date.now();
    if (now - this.drawnAt < REDRAW_MS && done < total) return;
    this.drawnAt = now;
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const cells = Math.round(share * BAR_CELLS);
    const bar = `[${'#'.repeat(cells)}${'.'.repeat(BAR_CELLS - cells)}]`;
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    const line = `${bar} ${percent}  ${printableLine(text)}`.slice(0, columns - 1);
    this.terminal.hint(`\r\u001b[K${line}`);
    this.isDrawn = true;
  }

  /** A line that stays. A terminal gets one only for failures; the bar shows the rest. */
  line(text: string, isWrong = false): void {
    if (this.terminal.columns !== undefined && !isWrong) return;
    this.clear();
    this.terminal.hint(`${printableLine(text)}\n`);
  }

  clear(): void {
    if (!this.isDrawn) return;
    this.terminal.hint('\r\u001b[K');
    this.isDrawn = false;
  }
}
