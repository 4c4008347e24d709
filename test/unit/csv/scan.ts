import type { RowFault } from '../../../src/csv/kernel/codes.js';
import { Kernel } from '../../../src/csv/kernel/kernel.js';
import { CsvScanner } from '../../../src/csv/csv-scanner.js';

export interface ScannedRow {
  readonly fields: readonly string[];
  readonly fault: RowFault;
}

const kernel = new Kernel();

/** Returns everything that the scanner finds in a text, as strings. */
export function scan(text: string): ScannedRow[] {
  const content = Buffer.from(text, 'utf8');
  const scanner = new CsvScanner(kernel, 64);
  // The memory behind the text still holds an earlier text.
  scanner.open([Buffer.alloc(content.length + 300, ',"\r')]);
  const middle = content.length >> 1;
  scanner.open([content.subarray(0, middle), content.subarray(middle)], 0);
  const rows: ScannedRow[] = [];
  for (;;) {
    if (scanner.next() === 0) return rows;
    // Copies the fields at once, because the scanner unescapes quotes in place.
    const fields = scanner.values().map((value) => Buffer.from(value).toString('utf8'));
    rows.push({ fields, fault: scanner.fault });
  }
}
