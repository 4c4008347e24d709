import { expect, test } from '@jest/globals';

import { Page, rowsOf } from '../../support/documents/page.js';

const page = new Page('capacity.md');

const PARTS = ['gateway', 'ingest', 'status', 'broker', 'ClickHouse'];
const MILLION = 1_000_000;

/** "1,700", "86 million", "3.0 GB" as numbers. */
function amount(text: string): number {
  const [digits, unit] = text.split(' ');
  const scale = { million: MILLION, billion: 1e9, GB: 1e9 }[unit ?? ''] ?? 1;
  return Number(digits!.replaceAll(',', '')) * scale;
}

test('the cores and bytes of the sizing table follow from what a row costs', () => {
  const costs = page.tableUnder('## What a row costs');
  const ofRow = new Map(
    rowsOf(/^\| bytes a row .*\n(?:\|.*\n)+/m.exec(page.text)![0]).map(([what, bytes]) => [
      what!,
      Number(bytes),
    ]),
  );
  const log = ofRow.get('in the log, LZ4, one replica')!;
  const table = ofRow.get('in the table, after `OPTIMIZE … FINAL`, one replica')!;
  const rows = page.tableUnder('## Sizing');
  expect(rows).toHaveLength(3);
  for (const [peak, day, ...needs] of rows) {
    const rate = amount(peak!);
    const daily = (rate / 10) * 86_400;
    // At half load, so twice the cores.
    const cores = PARTS.map((_, part) => {
      const highest = Math.max(...costs.map((row) => Number(row[part + 1])));
      return (2 * rate * highest) / MILLION;
    });
    const expected = [daily, ...cores, daily * log, daily * table];
    for (const [at, stated] of [day, ...needs].entries()) {
      // Figures are rounded to a digit or two.
      expect(amount(stated!) / expected[at]!).toBeGreaterThan(0.85);
      expect(amount(stated!) / expected[at]!).toBeLessThan(1.15);
    }
  }
});
