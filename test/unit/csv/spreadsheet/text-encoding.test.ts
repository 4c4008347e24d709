import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { isUtf8 } from '../../../../src/csv/csv-scanner.js';
import {
  damagedAt,
  decodeText,
  type Encoding,
  encodingOf,
  textOf,
} from '../../../../src/csv/spreadsheet/text-encoding.js';
import { encoded } from '../../../support/files/spreadsheet-files.js';
import { runs } from '../../../support/model/property.js';

const TEXT = 'date;channel\n2026-03-01;Größe – „50 €“\n';

const CAFE = Buffer.from('CAFÉ» Größe', 'latin1');

/** The bytes at which the rules of UTF-8 change. */
const BOUNDS = [
  ...[0x61, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec],
  ...[0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
];

function encodingIn(bytes: Uint8Array): Encoding | undefined {
  return encodingOf(bytes, isUtf8(bytes));
}

describe.each<[Encoding, boolean]>([
  ['UTF-8', true],
  ['UTF-8', false],
  ['UTF-16LE', true],
  ['UTF-16LE', false],
  ['UTF-16BE', true],
  ['UTF-16BE', false],
  ['Windows-1252', false],
])('%s (byte order mark: %s)', (encoding, hasByteOrderMark) => {
  test('is recognised and read', () => {
    const bytes = encoded(TEXT, encoding, hasByteOrderMark);
    expect(encodingIn(bytes)).toBe(encoding);
    expect(damagedAt(bytes, encoding)).toBeUndefined();
    expect(textOf(bytes)).toEqual({ encoding, text: TEXT, undamaged: undefined });
    // Decoders keep nothing of an earlier text.
    expect(decodeText(bytes, encoding)).toBe(TEXT);
  });
});

test('every byte of Windows-1252 is read as the character that it is', () => {
  const bytes = Uint8Array.from({ length: 128 }, (_, i) => 128 + i);
  const printed = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
  const latin1 = Array.from({ length: 96 }, (_, i) => String.fromCharCode(160 + i)).join('');
  expect(decodeText(bytes, 'Windows-1252').replaceAll('\0', '')).toBe(printed + latin1);
});

test.each([
  ['bytes that Windows-1252 does not have', [0x61, 0x81, 0xe9]],
  ['control characters', [0x61, 0x01, 0xe9]],
  ['NUL', [0x61, 0xe9, 0x61, 0x61, 0x00]],
  ['gzip', [0x1f, 0x8b, 0x08, 0x00, 0x00]],
])('%s are no text that is known', (_name, bytes) => {
  expect(encodingIn(Uint8Array.from(bytes))).toBeUndefined();
});

test.each([
  ['is cut within a character', [0xff, 0xfe, 0x61], 2],
  ['has half of a pair', [0xff, 0xfe, 0x61, 0x00, 0x3d, 0xd8, 0x61, 0x00], 4],
  ['has the halves of a pair in the wrong order', [0xff, 0xfe, 0x00, 0xde, 0x3d, 0xd8], 2],
  ['ends with half of a pair', [0xff, 0xfe, 0x3d, 0xd8], 2],
])('UTF-16 that %s is damaged there', (_name, bytes, at) => {
  expect(damagedAt(Uint8Array.from(bytes), 'UTF-16LE')).toBe(at);
});

describe('text that is not wholly valid UTF-8', () => {
  const [a, e, o, latin] = ['ä', 'é', 'ö', 'é'].map((letter, i) =>
    Buffer.from(letter, i < 3 ? 'utf8' : 'latin1'),
  ) as [Buffer, Buffer, Buffer, Buffer];
  const comma = Buffer.from(',');

  test.each<[string, Buffer[], Encoding]>([
    ['is UTF-8 with more of its characters than other bytes', [a, e, comma, latin], 'UTF-8'],
    ['is UTF-8 that was cut', [a, e, o.subarray(0, 1)], 'UTF-8'],
    ['is UTF-8 by its byte order mark', [Buffer.from('\ufeffx'), latin, comma, latin], 'UTF-8'],
    ['is Windows-1252 with as many other bytes', [a, latin, comma], 'Windows-1252'],
    ['is Windows-1252 with a pair like one of its characters', [CAFE], 'Windows-1252'],
  ])('%s', (_name, pieces, encoding) => {
    expect(encodingIn(Buffer.concat(pieces))).toBe(encoding);
  });

  test('is read as far as it goes', () => {
    const bytes = Buffer.concat([a, e, comma, latin, comma, o]);
    expect(textOf(bytes)).toEqual({ encoding: 'UTF-8', text: 'äé,\ufffd,ö', undamaged: 'äé,' });
  });

  test('begins to be damaged where Node says so', () => {
    const bytes = fc.array(fc.constantFrom(...BOUNDS), { maxLength: 12 });
    fc.assert(
      fc.property(bytes, (values) => {
        const at = damagedAt(Uint8Array.from(values), 'UTF-8');
        expect(at === undefined).toBe(isUtf8(Uint8Array.from(values)));
        if (at === undefined) return;
        expect(isUtf8(Uint8Array.from(values.slice(0, at)))).toBe(true);
        const rest = Uint8Array.from(values.slice(at, at + 4));
        for (let end = 1; end <= rest.length; end++) {
          expect(isUtf8(rest.subarray(0, end))).toBe(false);
        }
      }),
      runs(2_000),
    );
  });
});

test('a pair of UTF-16 is one character', () => {
  const bytes = encoded('date😀', 'UTF-16BE');
  expect(damagedAt(bytes, 'UTF-16BE')).toBeUndefined();
  expect(decodeText(bytes, 'UTF-16BE')).toBe('date😀');
});

test('an empty file is UTF-8', () => {
  expect(encodingIn(new Uint8Array(0))).toBe('UTF-8');
  expect(decodeText(new Uint8Array(0), 'UTF-8')).toBe('');
});
