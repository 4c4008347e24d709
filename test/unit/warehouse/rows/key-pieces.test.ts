import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { familyNamed } from '../../../../src/domain/families/index.js';
import { keyPieces } from '../../../../src/warehouse/rows/key-pieces.js';
import { verdictOn } from '../../../support/files/files.js';
import { validFile } from '../../../support/files/generated-files.js';
import { decodePrepared } from '../../../support/model/decode-prepared.js';
import { runs } from '../../../support/model/property.js';

test('the pieces of an upload have its keys in order, with everything that belongs to them', () => {
  fc.assert(
    fc.property(validFile, fc.integer({ min: 1, max: 6 }), ({ family: name, bytes }, most) => {
      const family = familyNamed(name);
      const verdict = verdictOn(name, bytes);
      if (!verdict.valid) throw new Error(verdict.reason);
      const pieces = [...keyPieces(family, verdict.upload, most)];
      expect(pieces.slice(0, -1).every(({ keys }) => keys === most)).toBe(true);
      expect(pieces.flatMap((piece) => decodePrepared(family, piece))).toEqual(
        decodePrepared(family, verdict.upload),
      );
    }),
    runs(200),
  );
});
