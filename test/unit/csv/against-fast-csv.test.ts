import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseString } from 'fast-csv';

import { RowFault } from '../../../src/csv/kernel/codes.js';
import { parseStrictCsv } from '../../support/model/model-csv.js';
import { runs } from '../../support/model/property.js';
import { scan } from './scan.js';

function fastCsv(text: string): Promise<string[][]> {
  return new Promise((resolve, reject) => {
    const rows: string[][] = [];
    parseString<string[], string[]>(text, { headers: false })
      .on('error', reject)
      .on('data', (row: string[]) => rows.push(row))
      .on('end', () => {
        resolve(rows);
      });
  });
}

const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.array(fc.constantFrom('"', ',', '\n', '\r\n', '\r', ' ', 'a', 'é', '😀', ''), {
    maxLength: 8,
  }),
);

/** A well-formed field: quoted where it must be, and sometimes where it need not be. */
const field = fc.tuple(value, fc.boolean()).map(([raw, quotes]) => {
  const text = typeof raw === 'string' ? raw : raw.join('');
  // Also quotes fields for fast-csv, which drops the outer whitespace of some unquoted ones.
  if (!quotes && !/[",\r\n]|^\s|\s$/.test(text)) return { text, written: text };
  return { text, written: `"${text.replaceAll('"', '""')}"` };
});

const file = fc.integer({ min: 2, max: 6 }).chain((width) =>
  fc.record({
    rows: fc.array(fc.array(field, { minLength: width, maxLength: width }), { minLength: 1 }),
    breaks: fc.array(fc.constantFrom('\n', '\r\n'), { minLength: 1 }),
    endsInBreak: fc.boolean(),
  }),
);

test('on well-formed files the scanner reads what was written, and what fast-csv reads', async () => {
  await fc.assert(
    fc.asyncProperty(file, async ({ rows, breaks, endsInBreak }) => {
      const written = rows.map((row) => row.map((each) => each.written).join(','));
      // fast-csv strips a byte order mark, the scanner does not.
      fc.pre(!written[0]!.startsWith('\uFEFF'));
      const text = written
        .map(
          (line, i) =>
            line + (i < rows.length - 1 || endsInBreak ? breaks[i % breaks.length]! : ''),
        )
        .join('');
      const scanned = scan(text);
      expect(scanned.every(({ fault }) => fault === RowFault.none)).toBe(true);
      const fields = scanned.map((row) => row.fields);
      expect(fields).toEqual(rows.map((row) => row.map((each) => each.text)));
      expect(fields).toEqual(await fastCsv(text));
      expect(fields).toEqual(parseStrictCsv(text));
    }),
    runs(400),
  );
});
