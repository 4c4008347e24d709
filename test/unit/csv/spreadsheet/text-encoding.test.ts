import { describe, expect, test } from '@jest/globals';

import { isUtf8 } from '../../../../src/csv/csv-scanner.js';
import {
  decodeText,
  type Encoding,
  encodingOf,
  isDamaged,
} from '../../../../src/csv/spreadsheet/text-encoding.js';
import { encoded } from '../../../support/files/spreadsheet-files.js';

const TEXT = 'date;channel\n2026-03-01;Größe – „50 €“\n';

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
    expect(isDamaged(bytes, encoding)).toBe(false);
    expect(decodeText(bytes, encoding)).toBe(TEXT);
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
  ['is cut within a character', [0xff, 0xfe, 0x61]],
  ['has half of a pair', [0xff, 0xfe, 0x3d, 0xd8, 0x61, 0x00]],
  ['has the halves of a pair in the wrong order', [0xff, 0xfe, 0x00, 0xde, 0x3d, 0xd8]],
  ['ends with half of a pair', [0xff, 0xfe, 0x3d, 0xd8]],
])('UTF-16 that %s is damaged', (_name, bytes) => {
  expect(isDamaged(Uint8Array.from(bytes), 'UTF-16LE')).toBe(true);
});

test('a pair of UTF-16 is one character', () => {
  const bytes = encoded('date😀', 'UTF-16BE');
  expect(isDamaged(bytes, 'UTF-16BE')).toBe(false);
  expect(decodeText(bytes, 'UTF-16BE')).toBe('date😀');
});

test('an empty file is UTF-8', () => {
  expect(encodingIn(new Uint8Array(0))).toBe('UTF-8');
  expect(decodeText(new Uint8Array(0), 'UTF-8')).toBe('');
});
