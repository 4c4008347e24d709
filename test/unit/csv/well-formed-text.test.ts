import { isUtf8 } from 'node:buffer';

import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { isUtf8Anywhere } from '../../../src/csv/csv-scanner.js';

test('a browser finds the same bytes to be UTF-8 as Node', () => {
  const pieces = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 4 }),
    fc
      .constantFrom(...['\xed\xa0\x80', '\xc0\x80', '\xf4\x90\x80\x80', '\xef\xbb\xbf', '\xe2\x82'])
      .map((text) => Buffer.from(text, 'latin1')),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 5 }), (parts) => {
      const bytes = Buffer.concat(parts);
      expect(isUtf8Anywhere(bytes)).toBe(isUtf8(bytes));
    }),
  );
});
