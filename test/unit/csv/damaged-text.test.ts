import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { RowFault } from '../../../src/csv/kernel/codes.js';
import { parseStrictCsv } from '../../support/model/model-csv.js';
import { runs } from '../../support/model/property.js';
import { scan } from './scan.js';

const anyText = fc
  .array(fc.constantFrom('"', '"', '""', ',', '\n', '\r\n', '\r', 'a', 'é', ' '), { maxLength: 24 })
  .map((parts) => parts.join(''));

test('the scanner faults exactly the texts that a strict reader refuses, and else reads the same', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const scanned = scan(text);
      const isFaultless = scanned.every(({ fault }) => fault === RowFault.none);
      const read = isFaultless ? scanned.map(({ fields }) => fields) : undefined;
      expect(read).toEqual(parseStrictCsv(text));
    }),
    runs(8_000),
  );
});
