import { expect, test } from '@jest/globals';

import {
  mergedPreview,
  type PartPreview,
} from '../../../../../src/clients/cli/preview/merged-preview.js';
import { previewText } from '../../../../../src/clients/cli/preview/preview-text.js';
import type {
  Preview,
  PreviewedKey,
  PreviewTotal,
  Warning,
} from '../../../../../src/preview/answer.js';

const FILE = { name: 'metrics.csv', rows: 6 };

/** The preview of a part whose rows are these rows of the file. */
function part(values: Partial<Preview>, rows: readonly number[] = [2, 3]): PartPreview {
  const preview: Preview = {
    valid: true,
    reason: null,
    rows: rows.length,
    keys: { total: 2, new: 1, replaced: 1, unchanged: 0 },
    compared: true,
    totals: { listed: [], more: 0 },
    replaced: [],
    warnings: [],
    asOf: '2026-03-10T00:00:00',
    ...values,
  };
  return { preview, rowNumbers: Uint32Array.from(rows) };
}

const total = (
  event_category: string,
  before: number | null,
  after: number | null,
): PreviewTotal => ({
  event_category,
  before: { event_value: before },
  after: { event_value: after },
});

const key = (event_category: string, before: number, after: number | null): PreviewedKey => ({
  ...{ date: '2026-03-01', channel: 'Search', event_category },
  before: [{ event_value: before }],
  after: [{ event_value: after }],
  requestId: '01a1fbe9-8d12-7e37-8444-47b183ed8e35',
  uploadedAt: '2026-03-09T08:15:30',
});

const warning = (code: Warning['code'], rows: readonly number[] = [2]): Warning => ({
  ...{ code, column: 'channel', message: `it is a ${code}` },
  rows,
});

test('the parts of a file add up, and its rows are those of the file', () => {
  const merged = mergedPreview(FILE, [
    part({ asOf: '2026-03-10T00:00:05', warnings: [warning('new-channel', [3])] }, [2, 6]),
    part(
      {
        keys: { total: 1, new: 0, replaced: 0, unchanged: 1 },
        warnings: [warning('new-channel', [2])],
      },
      [3, 5],
    ),
  ]);
  expect(merged).toMatchObject({
    file: 'metrics.csv',
    rows: 6,
    requests: 2,
    valid: true,
    reason: {},
    keys: { total: 3, new: 1, replaced: 1, unchanged: 1 },
    compared: true,
    warnings: [warning('new-channel', [3, 6])],
    asOf: '2026-03-10T00:00:00',
  });
});

test('mistakes of parts have the rows of the file', () => {
  const invalid = { valid: false, keys: null, compared: false, totals: null };
  const reason = { cost: ['row 3: "x" is not a number', 'and 2 more'] };
  const merged = mergedPreview(FILE, [part({}), part({ ...invalid, reason }, [4, 7])]);
  expect(merged).toMatchObject({
    valid: false,
    reason: { cost: ['row 7: "x" is not a number', 'and 2 more'] },
    keys: { total: 2, new: null, replaced: null, unchanged: null },
    compared: false,
    totals: null,
  });
});

test('of a file with a part that is too large to compare only the keys are counted', () => {
  const keys = { total: 2, new: null, replaced: null, unchanged: null };
  const merged = mergedPreview(FILE, [part({}), part({ keys, compared: false, totals: null })]);
  expect(merged).toMatchObject({ compared: false, keys: { ...keys, total: 4 }, totals: null });
  const text = previewText(merged);
  expect(text).toContain('\n  4 keys, too large to compare with what is stored\n');
});

test('what is wrong with the file as a whole is said once', () => {
  const file = ['the file looks like one with dates such as 31.12.2026: "custom-data convert" …'];
  const invalid = { valid: false, keys: null, compared: false, totals: null, reason: { file } };
  const merged = mergedPreview(FILE, [part(invalid), part(invalid)]);
  expect(merged.reason).toEqual({ file });
});

test('replaced keys are in the order of their changes, then of the keys', () => {
  const merged = mergedPreview(FILE, [
    part({ replaced: [key('C', 1, 9), key('B', 1, 2)] }),
    part({ replaced: [key('Beyond', 1, null), key('D', 9, 1), key('A', 1, 2)] }),
  ]);
  const metrics = merged.replaced.map(({ event_category }) => event_category);
  expect(metrics).toEqual(['Beyond', 'C', 'D', 'A', 'B']);
});

test('sums are added up by name, and shown where every part has told its own', () => {
  const merged = mergedPreview(FILE, [
    part({ totals: { listed: [total('A', 1, 2), total('B', null, 5)], more: 0 } }),
    part({ totals: { listed: [total('A', 10, 40), total('C', 0, 3), total('B', 0, 1)], more: 4 } }),
  ]);
  expect(merged.totals).toEqual({
    listed: [total('B', null, 6), total('A', 11, 42), total('C', 0, 3)],
    more: 4,
  });
  // The second part may have more of A, below those that it lists.
  const cut = mergedPreview(FILE, [
    part({ totals: { listed: [total('A', 1, 2)], more: 0 } }),
    part({ totals: { listed: [total('C', 0, 3)], more: 1 } }),
  ]);
  expect(cut.totals).toEqual({ listed: [total('C', 0, 3)], more: 1 });
});

test('a warning that counts is one of its part, because the counts do not say the same', () => {
  const counting = (rows: readonly number[]): Warning => ({
    ...{ code: 'deletions', column: 'file', rows },
    message: '2 combinations have zeros only, and will not be in reports',
  });
  const merged = mergedPreview(FILE, [
    part({ warnings: [counting([2, 3])] }, [2, 6]),
    part({ warnings: [counting([2, 3])] }, [3, 5]),
  ]);
  expect(merged.warnings).toEqual([counting([2, 6]), counting([3, 5])]);
});

test('what is true of a part only is not said of the file', () => {
  const ofParts = [warning('missing-days'), warning('unusual-total'), warning('no-change')];
  const codes = (...parts: readonly PartPreview[]): string[] =>
    mergedPreview(FILE, parts).warnings.map(({ code }) => code);
  expect(codes(part({ warnings: ofParts }))).toEqual(ofParts.map(({ code }) => code));
  expect(codes(part({ warnings: ofParts }), part({}))).toEqual([]);
  expect(codes(part({ warnings: ofParts }), part({ warnings: ofParts }))).toEqual(['no-change']);
});

test('numbers are shown without the digits that only a sum of doubles has', () => {
  const listed = [
    total('A', 0.1 + 0.2, 0.3),
    total('B', null, 0.3),
    total('C', null, null),
    total('D', 1e21, 2),
  ];
  const replaced = [key('E', 0.1 + 0.2, null)];
  const text = previewText(mergedPreview(FILE, [part({ totals: { listed, more: 0 }, replaced })]));
  const shown = text.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(shown).toEqual(
    expect.arrayContaining([
      ['A', '0.3'],
      ['B', 'too large -> 0.3'],
      ['C', 'too large'],
      ['D', '1e+21 -> 2'],
      expect.arrayContaining(['E', '0.3', 'too large']),
    ]),
  );
});

test('a value with line breaks stays in its line', () => {
  const value = 'x\n\tforged\r';
  const text = previewText(
    mergedPreview({ ...FILE, name: value }, [
      part({
        totals: { listed: [total(value, 1, 2)], more: 0 },
        replaced: [key(value, 1, 2)],
        warnings: [{ ...warning('new-channel'), message: value }],
      }),
    ]),
  );
  expect(text).not.toMatch(/[\t\r]|^ *forged/m);
  expect(text.split('x\\n\\tforged\\r')).toHaveLength(5);
});
