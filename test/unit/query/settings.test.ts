import { expect, test } from '@jest/globals';

import { contentTypeOf } from '../../../src/query/content-types.js';
import { settingsOf } from '../../../src/query/settings.js';

const KNOWN = new Set(['count_distinct_implementation', 'limit', 'max_threads']);

test('settings of a reader are applied, others dropped, and unknown ones refused', () => {
  const settings = settingsOf(new URLSearchParams('limit=1&max_threads=2&query=x'), KNOWN);
  expect(settings).toEqual(['--limit=1']);
  expect(() => settingsOf(new URLSearchParams('madeUp=1'), KNOWN)).toThrow('UNKNOWN_SETTING');
});

test('COUNT(DISTINCT …) becomes a function that counts', () => {
  const chosen = (name: string): string[] =>
    settingsOf(new URLSearchParams({ count_distinct_implementation: name }), KNOWN);
  expect(chosen('uniqHLL12')).toEqual(['--count_distinct_implementation=uniqHLL12']);
  for (const name of ['file', 'groupArray', '', 'constructor']) {
    expect(() => chosen(name)).toThrow('BAD_ARGUMENTS');
  }
});

test.each([
  ['JSONCompactStrings', 'application/json'],
  ['JSONCompactStringsEachRow', 'application/x-ndjson'],
  ['JSONCompactStringsEachRowWithNames', 'application/x-ndjson'],
  ['JSONObjectEachRow', 'application/x-ndjson'],
])('a result in %s is %s', (format, type) => {
  expect(contentTypeOf(format)).toBe(`${type}; charset=UTF-8`);
});
