import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { familyNamed } from '../../../../src/domain/families/index.js';
import type { PreparedUpload } from '../../../../src/csv/verdict.js';
import { keyPieces } from '../../../../src/warehouse/rows/key-pieces.js';
import { verdictOn } from '../../../support/files/files.js';
import { validFile } from '../../../support/files/generated-files.js';
import { decodePrepared } from '../../../support/model/decode-prepared.js';
import { runs } from '../../../support/model/property.js';

const anyMost = fc.record({
  keys: fc.integer({ min: 1, max: 6 }),
  rows: fc.integer({ min: 1, max: 12 }),
});

function rowsByKey({ combinations, csvRows }: PreparedUpload): number[] {
  return Array.from(combinations.counts, (count, key) => Math.max(count, csvRows.counts[key]!));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

test('the pieces of an upload have its keys in order, with everything that belongs to them', () => {
  fc.assert(
    fc.property(validFile, anyMost, ({ family: name, bytes }, most) => {
      const family = familyNamed(name);
      const verdict = verdictOn(name, bytes);
      if (!verdict.valid) throw new Error(verdict.reason);
      const pieces = [...keyPieces(family, verdict.upload, most)];
      for (const [at, piece] of pieces.entries()) {
        const rows = sumOf(rowsByKey(piece));
        expect(piece.keys).toBeLessThanOrEqual(most.keys);
        expect(piece.keys === 1 || rows <= most.rows).toBe(true);
        const next = pieces[at + 1];
        // There is no room for the next key.
        const withNext = rows + (next === undefined ? Infinity : rowsByKey(next)[0]!);
        expect(piece.keys === most.keys || withNext > most.rows).toBe(true);
      }
      expect(pieces.flatMap((piece) => decodePrepared(family, piece))).toEqual(
        decodePrepared(family, verdict.upload),
      );
    }),
    runs(200),
  );
});
