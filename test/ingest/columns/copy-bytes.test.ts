import { expect, test } from '@jest/globals';

import { copyBytes, viewOf } from '../../../src/ingest/columns/copy-bytes.js';

test('bytes of every length are copied from and to any place, and nothing beside them', () => {
  const bytes = Uint8Array.from({ length: 48 }, (_, i) => i + 1);
  for (let length = 0; length <= 13; length++) {
    for (let start = 0; start < 5; start++) {
      for (let at = 0; at < 5; at++) {
        const copy = new Uint8Array(32);
        const expected = new Uint8Array(32);
        expected.set(bytes.subarray(start, start + length), at);
        const end = copyBytes(viewOf(bytes), start, start + length, viewOf(copy), at);
        expect([end, ...copy]).toEqual([at + length, ...expected]);
      }
    }
  }
});

test('the very last bytes of both memories are within reach', () => {
  const bytes = Uint8Array.of(1, 2, 3, 4, 5, 6, 7);
  for (let start = 0; start <= 7; start++) {
    const copy = new Uint8Array(7 - start);
    expect(copyBytes(viewOf(bytes), start, 7, viewOf(copy), 0)).toBe(7 - start);
    expect(copy).toEqual(bytes.subarray(start));
  }
});
