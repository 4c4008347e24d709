import { RowFault } from '../kernel/codes.js';

export const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' } as const;

export type SeparatorName = keyof typeof SEPARATORS;

/** A row of a text. */
interface TextRow {
  /** The header is row 1. */
  readonly number: number;
  readonly fields: readonly string[];
  /** The first fault in its form. */
  readonly fault: RowFault;
}

/**
 * The rows of a text with any separator. In all else they are those that the scanner finds
 * (`kernel/assembly/scanner.ts`): quotes, line breaks, faults, the empty line at the end.
 */
export function* rowsOf(text: string, separator: SeparatorName): Generator<TextRow, void> {
  const scan = new TextScan(text, SEPARATORS[separator]);
  for (let row = scan.next(); row !== undefined; row = scan.next()) yield row;
}

/**
 * Invariant: `at` only grows. `separatorAt` and `breakAt` are the first ones at or behind the place
 * where they were looked for last, and are looked for again only when `at` has passed them. So time
 * is linear in the text, whatever it is.
 */
class TextScan {
  /** Between fields: where the next one begins. Behind a field: at what ends it. */
  private at = 0;
  private separatorAt = -1;
  private breakAt = -1;
  private rows = 0;
  private fault = RowFault.none;

  constructor(
    private readonly text: string,
    private readonly separator: string,
  ) {}

  next(): TextRow | undefined {
    if (this.at >= this.text.length || this.isEmptyLastLine()) return undefined;
    this.fault = RowFault.none;
    const fields: string[] = [];
    do {
      fields.push(this.text[this.at] === '"' ? this.quotedField() : this.bareField());
    } while (this.text[this.at++] === this.separator);
    this.rows++;
    return { number: this.rows, fields, fault: this.fault };
  }

  private bareField(): string {
    const { text, at: start } = this;
    const end = this.fieldEnd();
    const isBeforeCrlf = text[end] === '\n' && end > start && text[end - 1] === '\r';
    const value = text.slice(start, isBeforeCrlf ? end - 1 : end);
    const stray = /["\r]/.exec(value)?.[0];
    if (stray === '"') this.note(RowFault.strayQuote);
    else if (stray === '\r') this.note(RowFault.bareCarriageReturn);
    this.at = end;
    return value;
  }

  private quotedField(): string {
    const { text } = this;
    const start = this.at + 1;
    let close = text.indexOf('"', start);
    while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
    if (close === -1) {
      this.note(RowFault.unclosedQuote);
      close = text.length;
      this.at = close;
    } else {
      this.at = close + 1;
      if (text[this.at] === '\r' && text[this.at + 1] === '\n') this.at++;
      const end = this.fieldEnd();
      if (end !== this.at) this.note(RowFault.textAfterQuote);
      this.at = end;
    }
    return text.slice(start, close).replaceAll('""', '"');
  }

  /** Where the next separator or line feed is, or the end of the text. */
  private fieldEnd(): number {
    const { text, separator, at } = this;
    if (this.separatorAt < at) this.separatorAt = indexIn(text, separator, at);
    if (this.breakAt < at) this.breakAt = indexIn(text, '\n', at);
    return Math.min(this.separatorAt, this.breakAt);
  }

  /** Of several empty lines at the end of the text, only the last is not a row. */
  private isEmptyLastLine(): boolean {
    const { text, at } = this;
    return text.length - at <= 2 && /^\r?\n$/.test(text.slice(at));
  }

  /** The first fault of a row is the one kept. */
  private note(found: RowFault): void {
    if (this.fault === RowFault.none) this.fault = found;
  }
}

/** The end of the text when it is not there. */
function indexIn(text: string, what: string, from: number): number {
  const index = text.indexOf(what, from);
  return index === -1 ? text.length : index;
}
