import { describe, expect, test } from '@jest/globals';

import type { Answers, Detection } from '../../../../src/csv/spreadsheet/detection.js';
import { detect, familyOf, surveyed } from '../../../../src/csv/spreadsheet/detect.js';
import { textOf } from '../../../../src/csv/spreadsheet/text-encoding.js';
import { COST, SELF_SERVE } from '../../../../src/domain/families/index.js';
import { csv, fileWith, goodRow, type Reason, type Values } from '../../../support/files/files.js';
import { encoded, surveyedBytes } from '../../../support/files/spreadsheet-files.js';

function ofText(text: string, answers: Answers = {}): Detection {
  return detect(surveyedBytes(Buffer.from(text), COST), answers);
}

/** What is found in a cost file whose rows have these values of one column. */
function ofColumn(column: string, values: readonly string[], answers: Answers = {}): Detection {
  const rows = values.map((value): Values => goodRow('cost', { [column]: value }));
  return ofText(csv(rows), answers);
}

/** The values of a column before and after. */
function changed({ changes }: Detection): [string | null, string][] {
  return changes.flatMap(({ examples }) =>
    examples.map(({ before, after }): [string | null, string] => [before, after]),
  );
}

function reasonIn({ reason }: Detection): Reason {
  return JSON.parse(reason ?? '{}') as Reason;
}

describe('the form of a file', () => {
  test('that is valid has nothing to change', () => {
    expect(ofText(fileWith('cost', {}))).toEqual({
      rows: 1,
      encoding: 'UTF-8',
      separator: 'comma',
      changes: [],
      decided: [],
      questions: [],
      reason: null,
    });
  });

  test.each([
    ['semicolon', ';'],
    ['tab', '\t'],
  ] as const)('has %ss as separators', (separator, character) => {
    const text = csv([goodRow('cost'), goodRow('cost')]).replaceAll(',', character);
    const found = ofText(text);
    expect(found.separator).toBe(separator);
    expect(found.changes).toEqual([
      {
        what: 'separator',
        column: null,
        text: `${separator}s become commas`,
        count: 3,
        examples: [],
      },
    ]);
  });

  test('has commas where both are there, and commas in quotes separate nothing', () => {
    expect(ofText(fileWith('cost', { campaign: 'a;b;c;d;e;f;g;h;i' })).separator).toBe('comma');
    const text = fileWith('cost', {}).replaceAll(',', ';').replace('Spring', '"a,b,c,d,e,f,g"');
    expect(ofText(text).separator).toBe('semicolon');
    expect(ofText('"date";"channel";"cost"\n').separator).toBe('semicolon');
  });

  test('has names in another case', () => {
    const text = fileWith('cost', { term: 't' }).replace('date', 'Date').replace('term', 'TERM');
    const [change, ...others] = ofText(text).changes;
    expect(others).toEqual([]);
    expect(change).toMatchObject({ what: 'names', count: 2 });
    expect(changed(ofText(text))).toEqual([
      ['Date', 'date'],
      ['TERM', 'term'],
    ]);
  });

  test.each(['UTF-16LE', 'UTF-16BE', 'Windows-1252'] as const)('is %s', (encoding) => {
    const rows = ['Größe', 'plain', 'Söld', 'Café', 'Ärger'].map((campaign) =>
      goodRow('cost', { campaign }),
    );
    const { changes } = detect(surveyedBytes(encoded(csv(rows), encoding), COST));
    expect(changes).toEqual([
      {
        what: 'encoding',
        column: null,
        text: `${encoding} becomes UTF-8`,
        count: 4,
        examples: [
          { row: 2, before: null, after: 'Größe' },
          { row: 4, before: null, after: 'Söld' },
          { row: 5, before: null, after: 'Café' },
        ],
      },
    ]);
  });

  test('is told of with its faults, and with bytes that are no text', () => {
    const faulty = reasonIn(ofText(`${fileWith('cost', {})}"a"b\n`));
    expect(faulty).toEqual({ file: ['row 3: text follows the closing quote of a field'] });
    expect(reasonIn(detect(surveyedBytes(Uint8Array.of(0x64, 0x81), COST)))).toEqual({
      file: ['the text is neither UTF-8 nor UTF-16 nor Windows-1252'],
    });
    expect(reasonIn(detect(surveyedBytes(Uint8Array.of(0xff, 0xfe, 0x64), COST)))).toEqual({
      file: ['row 1: is not valid UTF-16LE, the encoding of the file'],
    });
  });

  test.each(['', '\ufeff'])('is UTF-8, also if a byte is not: %j before it', (mark) => {
    const names = ['Größe', 'a\nb', '?', 'Söld'];
    const text = csv(names.map((campaign) => goodRow('cost', { campaign })));
    const bytes = Buffer.from(mark + text.replaceAll(',', ';'));
    bytes[bytes.indexOf('?')] = 0xe9;
    const found = detect(surveyedBytes(bytes, COST));
    expect(found).toMatchObject({ encoding: 'UTF-8', rows: 4, changes: [] });
    expect(reasonIn(found)).toEqual({
      file: ['row 4: is not valid UTF-8, the encoding of the file'],
    });
  });

  test('tells of all that is wrong, at once and again', () => {
    const text = `${fileWith('cost', { cost: '1,5' })}"a"b\n`;
    const file = surveyed(textOf(Buffer.from(text)), COST);
    const reason = {
      file: ['row 3: text follows the closing quote of a field'],
      cost: ['row 2: "1,5" is not a number with a decimal point'],
    };
    for (let i = 0; i < 2; i++) {
      expect(reasonIn(detect(file, { decimal: 'point' }))).toEqual(reason);
    }
    expect(reasonIn(detect(file, {}))).toEqual({ file: reason.file });
  });

  test.each(['', '\ufeff', '\n'])('is that of an empty file: %j', (text) => {
    expect(ofText(text)).toMatchObject({ rows: 0, changes: [], questions: [], reason: null });
  });

  test('is known by the header alone', () => {
    const found = ofText('Date;channel;currency;campaign;impressions;clicks;cost\r\n');
    expect(found).toMatchObject({ rows: 0, separator: 'semicolon', reason: null });
    expect(found.changes.map(({ what }) => what)).toEqual(['separator', 'names']);
  });
});

describe('dates', () => {
  test.each<[string, string, string]>([
    ['DD.MM.YYYY', '01.02.2026', '2026-02-01'],
    ['DD.MM.YYYY', '1.2.2026', '2026-02-01'],
    ['MM/DD/YYYY', '02/13/2026', '2026-02-13'],
    ['MM/DD/YYYY', '2/29/2024', '2024-02-29'],
    ['DD/MM/YYYY', '13/02/2026', '2026-02-13'],
    ['MM/DD/YYYY', '02/02/2026', '2026-02-02'],
  ])('%s: %s is %s', (form, before, after) => {
    const found = ofColumn('date', [before]);
    expect(found.questions).toEqual([]);
    expect(found.changes).toEqual([
      {
        what: 'dates',
        column: 'date',
        text: `${form} becomes YYYY-MM-DD`,
        count: 1,
        examples: [{ row: 2, before, after }],
      },
    ]);
  });

  test('one row decides for all', () => {
    expect(changed(ofColumn('date', ['01/02/2026', '2026-02-03', '31/01/2026']))).toEqual([
      ['01/02/2026', '2026-02-01'],
      ['31/01/2026', '2026-01-31'],
    ]);
  });

  test('that a row decides are shown with it', () => {
    const { decided } = ofColumn('date', ['01/02/2026', '03/03/2026', '02/13/2026', '04/05/2026']);
    expect(decided).toEqual([
      {
        what: 'dates',
        column: 'date',
        text: 'read as a date of the form MM/DD/YYYY because of "02/13/2026" in row 4',
        count: 2,
        examples: [
          { row: 2, before: '01/02/2026', after: '2026-01-02' },
          { row: 5, before: '04/05/2026', after: '2026-04-05' },
        ],
      },
    ]);
    for (const values of [['13/02/2026'], ['03/03/2026'], ['01.02.2026']]) {
      expect(ofColumn('date', values).decided).toEqual([]);
    }
  });

  test('that no row decides are asked for', () => {
    const values = ['01/02/2026', '03/03/2026', '04/05/2026', '05/06/2026', '06/07/2026'];
    const found = ofColumn('date', values);
    expect(found.changes).toEqual([]);
    const [question, ...others] = found.questions;
    expect(others).toEqual([]);
    expect(question).toMatchObject({ asks: 'dates', column: 'date' });
    expect(question!.options.map(({ form }) => form)).toEqual(['MM/DD/YYYY', 'DD/MM/YYYY']);
    expect(question!.options.map(({ examples }) => examples.map(({ after }) => after))).toEqual([
      ['2026-01-02', '2026-04-05', '2026-05-06'],
      ['2026-02-01', '2026-05-04', '2026-06-05'],
    ]);
    const answered = ofColumn('date', values, { dates: 'DD/MM/YYYY' });
    expect(answered.questions).toEqual([]);
    expect(answered.changes).toMatchObject([{ column: 'date', count: 5 }]);
    expect(changed(answered)[0]).toEqual(['01/02/2026', '2026-02-01']);
  });

  test('that contradict each other are told of with both rows', () => {
    expect(reasonIn(ofColumn('date', ['01/02/2026', '13/02/2026', '02/14/2026']))).toEqual({
      date: ['row 4: "02/14/2026" contradicts "13/02/2026" in row 3: no form fits both'],
    });
    expect(reasonIn(ofColumn('date', ['13.02.2026', '01/02/2026']))).toEqual({
      date: ['row 3: "01/02/2026" contradicts "13.02.2026" in row 2: no form fits both'],
    });
  });

  test('that do not have the form of the answer are told of', () => {
    expect(reasonIn(ofColumn('date', ['01.02.2026'], { dates: 'MM/DD/YYYY' }))).toEqual({
      date: ['row 2: "01.02.2026" is not a date of the form MM/DD/YYYY'],
    });
  });

  test.each(['31.02.2026', '13.13.2026', '1.2.26', '2026/02/01', '01-02-2026', '1.2/2026', ''])(
    'are no others: %j',
    (value) => {
      expect(ofColumn('date', [value])).toMatchObject({ changes: [], questions: [], reason: null });
    },
  );
});

test('the family is known by the columns that only one has', () => {
  expect(familyOf('Date;Channel;Clicks\n')).toBe(COST);
  expect(familyOf('date\tevent_value\n')).toBe(SELF_SERVE);
  for (const text of ['', 'date,channel,campaign\n', 'clicks,event_value\n']) {
    expect(familyOf(text)).toBeUndefined();
  }
});
