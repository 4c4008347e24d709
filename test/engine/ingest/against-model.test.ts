import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import {
  FACTS,
  keysOf,
  reasonFor,
  REQUEST_DATE,
  verdictOn,
  withoutHint,
} from '../../support/files/files.js';
import { spoiltFile, validFile, type GeneratedFile } from '../../support/files/generated-files.js';
import type { DecodedKey } from '../../support/model/decode-prepared.js';
import { modelVerdict, type ModelVerdict } from '../../support/model/model.js';
import { runs } from '../../support/model/property.js';

function model({ family, bytes }: GeneratedFile): ModelVerdict {
  const { integratedChannels } = FACTS;
  return modelVerdict(family, bytes, { requestDate: REQUEST_DATE, integratedChannels });
}

/** Returns the name as a reason shows it. */
function shortened(name: string): string {
  const points = Array.from(name);
  return points.length > 64 ? `${points.slice(0, 64).join('')}…` : name;
}

/** Whether several rows with numbers are one combination. */
function hasSums({ rows, combinations }: DecodedKey): boolean {
  const metrics = ['impressions', 'clicks', 'cost', 'event_value'];
  const live = rows.filter((row) => metrics.some((name) => Number(row[name] ?? 0) !== 0));
  return combinations.length < live.length;
}

function expectAsTheModel(file: GeneratedFile): void {
  const expected = model(file);
  if (expected.valid) {
    expect(keysOf(file.family, file.bytes)).toEqual(expected.keys);
    return;
  }
  const reason = withoutHint(reasonFor(file.family, file.bytes));
  expect(Object.keys(reason)).not.toHaveLength(0);
  if (expected.columns === undefined) return;
  expect(new Set(Object.keys(reason))).toEqual(new Set([...expected.columns].map(shortened)));
}

describe('what the row path says is what the plain model says', () => {
  test('of valid files: the same rows, keys, sums and totals', () => {
    let summed = 0;
    fc.assert(
      fc.property(validFile, (file) => {
        const verdict = model(file);
        // The model must find these files valid too, or the property compares less than it says.
        if (!verdict.valid) throw new Error('the model refuses the file');
        if (verdict.keys.some(hasSums)) summed++;
        expectAsTheModel(file);
      }),
      runs(400),
    );
    expect(summed).toBeGreaterThan(100);
  });

  test('of files with something wrong: the same verdict, and the same columns to blame', () => {
    let refused = 0;
    fc.assert(
      fc.property(spoiltFile, (file) => {
        if (!model(file).valid) refused++;
        expectAsTheModel(file);
      }),
      runs(900),
    );
    expect(refused).toBeGreaterThan(450);
  });

  test('of files with damaged bytes: refused, or what the bytes now say, never half of it', () => {
    const piece = fc.oneof(
      fc.constantFrom(...'",\n\r \0a9-.'.split('').map((character) => character.charCodeAt(0))),
      fc.nat(255),
    );
    const damage = fc.tuple(
      fc.constantFrom('change', 'insert', 'remove', 'cut'),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      piece,
    );
    const verdicts = { valid: 0, invalid: 0 };
    fc.assert(
      fc.property(validFile, fc.array(damage, { minLength: 1, maxLength: 4 }), (file, damages) => {
        let bytes = [...file.bytes];
        for (const [how, where, byte] of damages) {
          const at = Math.floor(where * bytes.length);
          if (how === 'change') bytes[at] = byte;
          else if (how === 'insert') bytes.splice(at, 0, byte);
          else if (how === 'remove') bytes.splice(at, 1);
          else if (where > 0.5) bytes = bytes.slice(0, at);
        }
        const damaged = { family: file.family, bytes: Buffer.from(bytes) };
        verdicts[model(damaged).valid ? 'valid' : 'invalid']++;
        expectAsTheModel(damaged);
      }),
      runs(1_500),
    );
    expect(verdicts.valid).toBeGreaterThan(100);
    expect(verdicts.invalid).toBeGreaterThan(700);
  });

  test('and the verdict depends on the bytes alone: twice the same', () => {
    fc.assert(
      fc.property(fc.oneof(validFile, spoiltFile), ({ family, bytes }) => {
        expect(verdictOn(family, bytes)).toEqual(verdictOn(family, bytes));
      }),
      runs(100),
    );
  });
});
