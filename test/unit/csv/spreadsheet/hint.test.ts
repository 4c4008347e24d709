import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { LOOKED_AT_BYTES, spreadsheetHint } from '../../../../src/csv/spreadsheet/hint.js';
import { prepareUpload } from '../../../../src/csv/prepare-upload.js';
import { COST, familyNamed } from '../../../../src/domain/families/index.js';
import {
  csv,
  FACTS,
  fileWith,
  goodRow,
  reasonFor,
  verdictOn,
  withoutHint,
} from '../../../support/files/files.js';
import { spoiltFile } from '../../../support/files/generated-files.js';
import { encoded } from '../../../support/files/spreadsheet-files.js';
import { runs } from '../../../support/model/property.js';

/** The message about a file with these looks. */
const hint = (looks: string): string =>
  `the file looks like one with ${looks}: "custom-data convert" shows what it can convert`;

const good = fileWith('cost', { campaign: 'Größe' });

describe('the reason of a failed file that looks as a spreadsheet saves it', () => {
  test.each<[string, string | Buffer]>([
    ['semicolons as separators', good.replaceAll(',', ';')],
    ['tabs as separators', good.replaceAll(',', '\t')],
    ['text in UTF-16LE', encoded(good, 'UTF-16LE')],
    ['text in UTF-16LE', encoded(good, 'UTF-16LE', false)],
    ['text in UTF-16BE', encoded(good, 'UTF-16BE')],
    ['text in UTF-16LE, tabs as separators', encoded(good.replaceAll(',', '\t'), 'UTF-16LE')],
    ['text in Windows-1252', encoded(good, 'Windows-1252')],
    ['column names in another case', good.replace('clicks', 'Clicks')],
    ['dates such as 31.12.2026', fileWith('cost', { date: '1.2.2026' })],
    ['dates such as 12/31/2026', fileWith('cost', { date: '01/02/2026' })],
    ['commas or separators of thousands in numbers', fileWith('cost', { cost: '1,5' })],
    ['commas or separators of thousands in numbers', fileWith('cost', { clicks: '1.234' })],
    [
      'semicolons as separators, column names in another case, dates such as 31.12.2026, ' +
        'commas or separators of thousands in numbers',
      csv([goodRow('cost', { date: '31.12.2025' })])
        .replaceAll(',', ';')
        .replace('date', 'DATE')
        .replace('1.5', '1.234,5'),
    ],
  ])('says so in one more message: %s', (looks, file) => {
    const reason = reasonFor('cost', file);
    expect(reason['file']!.at(-1)).toBe(hint(looks));
    expect(withoutHint(reason)).not.toEqual({});
    const messages = Object.values(reason).flat();
    expect(messages.filter((text) => text.includes('convert'))).toHaveLength(1);
  });

  test('says it also where there is no room for another message, and never more than 21', () => {
    const rows = csv([goodRow('cost', { date: '31.12.2025' })]) + 'x\n'.repeat(25);
    const { file } = reasonFor('cost', rows) as { file: string[] };
    expect(file).toHaveLength(21);
    expect(file.slice(18)).toEqual([
      'row 21: has 1 field, the header has 7',
      hint('dates such as 31.12.2026'),
      'and 6 more',
    ]);
  });

  test('is the same however the file is divided', () => {
    const file = Buffer.from(good.replaceAll(',', ';'));
    for (const at of [0, 1, 3, 20, file.length]) {
      const parts = [file.subarray(0, at), file.subarray(at)];
      expect(prepareUpload(COST, parts, FACTS)).toEqual(verdictOn('cost', file));
    }
  });
});

describe('nothing more is said', () => {
  test.each<[string, string | Buffer]>([
    ['of an empty file', ''],
    ['of a file without rows', good.split('\n')[0]!],
    ['of other names', good.replace('clicks', 'klicks;x')],
    ['of other mistakes', fileWith('cost', { currency: 'eur', date: '2026-02-30', cost: '.5' })],
    ['of numbers that contradict', csv([goodRow('cost', { cost: '1,5' }), goodRow('cost')])],
    ['of amounts with three decimals', fileWith('cost', { cost: '1.234', currency: 'eur' })],
    ['of bytes that are no text', Buffer.concat([Buffer.from(good), Buffer.from([0x81, 0xff])])],
    [
      'of UTF-8 with a wrong byte',
      Buffer.concat([
        Buffer.from(good),
        Buffer.from(good.split('\n')[1]!.replace('Größe', 'ö'), 'latin1'),
      ]),
    ],
    ['of text values', fileWith('cost', { campaign: '1,5', term: '1.2.2026', currency: 'eur' })],
    ['of semicolons in a value', fileWith('cost', { campaign: 'a;b;c;d', currency: 'eur' })],
  ])('%s', (_name, file) => {
    const reason = reasonFor('cost', file);
    expect(withoutHint(reason)).toEqual(reason);
  });

  test('of what comes late in a large file', () => {
    const rows = csv(Array.from({ length: 1_000 }, () => goodRow('cost', { currency: 'eur' })));
    expect(rows.length).toBeGreaterThan(LOOKED_AT_BYTES);
    const late = rows + '31.12.2025,Search,EUR,Spring,100,10,1.5\n';
    expect(reasonFor('cost', late)).not.toHaveProperty('file');
  });

  test('but Windows-1252 is seen wherever it stands', () => {
    const rows = Array.from({ length: 1_000 }, () => goodRow('cost'));
    const file = encoded(csv([...rows, goodRow('cost', { campaign: 'Größe' })]), 'Windows-1252');
    expect(reasonFor('cost', file)['file']!.at(-1)).toBe(hint('text in Windows-1252'));
  });
});

test('whatever the bytes are, the look ends with a text or with none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isUtf8) => {
      expect(['string', 'undefined']).toContain(typeof spreadsheetHint(COST, [bytes], isUtf8));
    }),
    runs(500),
  );
});

test('a file that is wrong in other ways has no other reason than before', () => {
  let hinted = 0;
  fc.assert(
    fc.property(spoiltFile, ({ family, bytes }) => {
      const verdict = verdictOn(family, bytes);
      if (verdict.valid) return;
      const text = spreadsheetHint(familyNamed(family), [bytes], true);
      const reason = reasonFor(family, bytes);
      if (text === undefined) expect(withoutHint(reason)).toEqual(reason);
      else hinted++;
      expect(reason['file']?.includes(text ?? '') ?? false).toBe(text !== undefined);
    }),
    runs(300),
  );
  expect(hinted).toBeGreaterThan(0);
});
