import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { familyNamed } from '../../../src/domain/families/index.js';
import { Arena } from '../../../src/domain/memory.js';
import { prepareUpload } from '../../../src/csv/prepare-upload.js';
import { decodePrepared } from '../../support/model/decode-prepared.js';
import { FACTS, keysOf } from '../../support/files/files.js';
import { validFile } from '../../support/files/generated-files.js';
import { runs } from '../../support/model/property.js';

test('an upload is the same in memory that others have written to, be it too small, and in its own', () => {
  const borrowed = { some: 0, all: 0 };
  fc.assert(
    fc.property(validFile, fc.nat(8_192), fc.nat(255), ({ family, bytes }, size, left) => {
      const memory = new SharedArrayBuffer(size);
      new Uint8Array(memory).fill(left);
      const arena = new Arena(memory);
      const verdict = prepareUpload(familyNamed(family), [bytes], FACTS, { arena });
      if (!verdict.valid) throw new Error(verdict.reason);
      borrowed[arena.own.length === 0 ? 'all' : 'some']++;
      expect(decodePrepared(familyNamed(family), verdict.upload)).toEqual(keysOf(family, bytes));
    }),
    runs(300),
  );
  expect(borrowed.some).toBeGreaterThan(0);
  expect(borrowed.all).toBeGreaterThan(0);
});
