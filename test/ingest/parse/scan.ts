import { CsvScanner } from '../../../src/ingest/parse/csv-scanner.js';

export interface ScannedRow {
  readonly fields: readonly string[];
  /** A `ROW_FAULT`. */
  readonly fault: number;
}

/** Everything that the scanner finds in a text, as strings. */
export function scan(text: string): ScannedRow[] {
  const content = Buffer.from(text, 'utf8');
  // Anywhere in a word of its buffer, and with bytes behind it that are none of the text's.
  const bytes = new Uint8Array(new ArrayBuffer(content.length + 16), content.length % 8);
  bytes.fill(','.charCodeAt(0));
  bytes.set(content);
  const scanner = new CsvScanner(bytes, 0, content.length);
  const capacity = 64;
  const [starts, ends] = [new Int32Array(capacity), new Int32Array(capacity)];
  const rows: ScannedRow[] = [];
  for (;;) {
    const count = scanner.next(starts, ends, 0, capacity);
    if (count === 0) return rows;
    // Taken at once: the scanner folds quotes in place, and only behind what it has handed out.
    const fields = Array.from({ length: count }, (_, i) =>
      Buffer.from(bytes.subarray(starts[i], ends[i])).toString('utf8'),
    );
    rows.push({ fields, fault: scanner.fault });
  }
}
