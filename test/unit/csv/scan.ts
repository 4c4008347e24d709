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
  const capacity = 64;
  const scanner = new CsvScanner(kernel, capacity);
  // The memory behind the text still holds an earlier text.
  scanner.open([Buffer.alloc(content.length + 300, ',"\r')]);
  const middle = content.length >> 1;
  scanner.open([content.subarray(0, middle), content.subarray(middle)], 0);
  const [starts, ends] = [new Int32Array(capacity), new Int32Array(capacity)];
  const rows: ScannedRow[] = [];
  for (;;) {
    const count = scanner.next(starts, ends);
    if (count === 0) return rows;
    // Copies the fields at once, because the scanner unescapes quotes in place.
    const fields = Array.from({ length: count }, (_, i) =>
      Buffer.from(scanner.bytes.subarray(starts[i], ends[i])).toString('utf8'),
    );
    rows.push({ fields, fault: scanner.fault });
  }
}
