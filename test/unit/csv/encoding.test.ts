import { isUtf8 } from 'node:buffer';

import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import {
  fileWith,
  goodRow,
  keysOf,
  reasonFor,
  verdictOn,
  withoutHint,
} from '../../support/files/files.js';

/** Returns a valid file with these bytes as its campaign. */
function withCampaign(...bytes: number[]): Buffer {
  const [before, after] = fileWith('cost', { campaign: 'HERE' }).split('HERE') as [string, string];
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
}

test('one byte order mark at the beginning is no part of the header', () => {
  expect(keysOf('cost', '\uFEFF' + fileWith('cost', {}))).toHaveLength(1);
});

test('a second byte order mark belongs to the first column name', () => {
  expect(Object.keys(reasonFor('cost', '\uFEFF\uFEFF' + fileWith('cost', {})))).toEqual([
    '\uFEFFdate',
    'date',
  ]);
});

test('a file of a byte order mark alone is empty', () => {
  expect(reasonFor('cost', '\uFEFF')).toEqual({ file: ['the file is empty'] });
});

test.each([
  ['a byte that begins no character', [0x80]],
  ['Latin-1', [0x61, 0xe9, 0x62]],
  ['a character cut short', [0x61, 0xe2, 0x82]],
  ['an overlong form', [0xc0, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a character beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ['a byte order mark of UTF-16', [0xff, 0xfe]],
])('%s is not UTF-8 and is told of with its row and field', (_name, bytes) => {
  expect(withoutHint(reasonFor('cost', withCampaign(...bytes)))).toEqual({
    file: ['row 2: field 4 is not valid UTF-8'],
  });
});

test('a quoted value is taken if it is UTF-8, whatever quotes are in it', () => {
  const pieces = [
    '""',
    'a',
    '\xe2\x82\x82',
    '\xe2\x82',
    '\xf0\x9f\x98\x98',
    '\xf0\x9f\x98',
    '\x82',
    '\x98',
  ];
  const texts = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(texts, (parts) => {
      const quoted = Buffer.from(`"${parts.join('')}"`, 'latin1');
      const value = Buffer.from(parts.join('').replaceAll('""', '"'), 'latin1');
      const verdict = verdictOn('cost', withCampaign(...quoted));
      expect(verdict.valid).toBe(isUtf8(value));
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ['inside a value', [0x61, 0x00, 0x62]],
  ['as a whole value', [0x00]],
  ['in quotes', [0x22, 0x00, 0x22]],
])('NUL %s is refused', (_name, bytes) => {
  expect(reasonFor('cost', withCampaign(...bytes))).toEqual({
    file: ['row 2: field 4 contains a NUL character'],
  });
});

test('invalid UTF-8 in the header is refused', () => {
  const file = Buffer.concat([Buffer.from([0xff]), Buffer.from(fileWith('cost', {}))]);
  const reason = withoutHint(reasonFor('cost', file));
  expect(reason['file']).toEqual(['row 1: field 1 is not valid UTF-8']);
});

test('invalid bytes fail the file even where no field is', () => {
  const file = Buffer.concat([
    Buffer.from(fileWith('cost', {})),
    Buffer.from('"a"\xff\n', 'latin1'),
  ]);
  expect(withoutHint(reasonFor('cost', file))).toEqual({
    file: ['row 3: text follows the closing quote of a field'],
  });
});

test('every control character but NUL is allowed inside a value', () => {
  const controls = Array.from({ length: 0xa0 }, (_, i) => i).filter(
    (code) => code > 0 && (code < 0x20 || code >= 0x7f),
  );
  const campaign = `a${String.fromCharCode(...controls)}b`;
  const [key] = keysOf('cost', fileWith('cost', { campaign }));
  expect(key!.key).toEqual(['2026-03-01', 'Search', campaign]);
});

test('bytes that begin like a gzip file are no CSV', () => {
  const file = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.from('x')]);
  expect(reasonFor('self-serve', file)['file']![0]).toBe('row 1: field 1 contains a NUL character');
});

test('a value keeps its bytes: no normalisation, no change of case', () => {
  const campaign = 'e\u0301 é ﬁ İ ǅ';
  expect(keysOf('cost', fileWith('cost', goodRow('cost', { campaign })))[0]!.key[2]).toBe(campaign);
});
