import { expect, test } from '@jest/globals';

import { Arena } from '../../../src/domain/memory.js';
import { checkFile } from '../../../src/preview/check-file.js';
import { csv, FACTS, goodRow, THRESHOLDS } from '../../support/files/files.js';

/** A file with so many keys, of so many rows each. */
function file(keys: number, rowsOfKey: number): Buffer<ArrayBuffer> {
  const rows = Array.from({ length: keys * rowsOfKey }, (_, at) =>
    goodRow('self-serve', { event_category: `M${at % keys}`, content: String(at) }),
  );
  return Buffer.from(csv(rows));
}

test.each([
  ['keys', 10_001, 1, [10_000, 1]],
  ['rows', 10, 3_000, [6, 4]],
  ['rows, a key with more of them alone', 2, 20_001, [1, 1]],
])('a comparison has a bounded number of %s', (_, keys, rowsOfKey, expected) => {
  const whose = { family: 'self-serve', account: 'acme' } as const;
  const parts = [file(keys, rowsOfKey)];
  const checked = checkFile({ ...whose, parts, facts: FACTS, thresholds: THRESHOLDS }, new Arena());
  if (!checked.valid) throw new Error(checked.reason);
  expect(checked).toMatchObject({ rows: keys * rowsOfKey, keys });
  expect(checked.blocks!.map(({ rows }) => rows)).toEqual(expected);
  // None of the blocks has all keys.
  expect(checked.keyBlock).toBeUndefined();
});
