import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { RowFault } from '../../../../src/csv/kernel/codes.js';
import { rowsOf, type SeparatorName } from '../../../../src/csv/spreadsheet/separated-rows.js';
import { runs } from '../../../support/model/property.js';
import { scan, type ScannedRow } from '../scan.js';

function rows(text: string, separator: SeparatorName): ScannedRow[] {
  return [...rowsOf(text, separator)].map(({ fields, fault }) => ({ fields, fault }));
}

const pieces = fc.array(
  fc.constantFrom('"', '"', '""', ',', '\n', '\r\n', '\r', ' ', 'a', 'é', '😀', '\t'),
  { maxLength: 30 },
);

test('commas separate as the scanner of the service finds it, also in malformed text', () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('');
      expect(rows(text, 'comma')).toEqual(scan(text));
    }),
    runs(2_000),
  );
});

test.each<[SeparatorName, string]>([
  ['semicolon', ';'],
  ['tab', '\t'],
])('%s separates in the same way', (name, separator) => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.filter((part) => part !== '\t').join('');
      const swapped = rows(text.replaceAll(',', separator), name);
      const fields = (row: ScannedRow): string[] =>
        row.fields.map((field) => field.replaceAll(separator, ','));
      expect(swapped.map((row) => ({ ...row, fields: fields(row) }))).toEqual(rows(text, 'comma'));
    }),
    runs(500),
  );
});

test('rows are numbered as in a spreadsheet', () => {
  const found = [...rowsOf('a;"b\nc"\n\nd;e', 'semicolon')];
  expect(found).toEqual([
    { number: 1, fields: ['a', 'b\nc'], fault: RowFault.none },
    { number: 2, fields: [''], fault: RowFault.none },
    { number: 3, fields: ['d', 'e'], fault: RowFault.none },
  ]);
});

test('a long text without separators or line breaks is read in linear time', () => {
  const lines = 'x\n'.repeat(200_000);
  expect([...rowsOf(lines, 'semicolon')]).toHaveLength(200_000);
  const [row] = rowsOf('x;'.repeat(200_000), 'semicolon');
  expect(row!.fields).toHaveLength(200_001);
});
