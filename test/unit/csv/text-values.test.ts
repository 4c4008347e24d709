import { describe, expect, test } from '@jest/globals';

import { fileWith, keysOf, reasonFor } from '../../support/files/files.js';

describe('the length of a text is counted in code points', () => {
  test.each([
    ['ASCII', 'x'],
    ['two bytes', 'é'],
    ['three bytes', '日'],
    ['four bytes, two UTF-16 units', '😀'],
  ])('256 of %s are fine, 257 are not', (_name, character) => {
    for (const column of ['campaign', 'term']) {
      const longest = character.repeat(256);
      const [key] = keysOf('cost', fileWith('cost', { [column]: longest }));
      expect([key!.key[2], key!.rows[0]!['term']]).toContain(longest);
      expect(reasonFor('cost', fileWith('cost', { [column]: character.repeat(257) }))).toEqual({
        [column]: [`row 2: "${character.repeat(64)}…" is longer than 256 characters`],
      });
    }
  });

  test('a mark that combines with the letter before counts for itself', () => {
    expect(keysOf('cost', fileWith('cost', { term: 'e\u0301'.repeat(128) }))).toHaveLength(1);
    expect(
      reasonFor('cost', fileWith('cost', { term: 'e\u0301'.repeat(128) + 'e' })),
    ).toHaveProperty('term');
  });

  test('a doubled quote counts once', () => {
    expect(keysOf('cost', fileWith('cost', { term: '"'.repeat(256) }))).toHaveLength(1);
  });
});

const WHITESPACE = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => /\p{White_Space}/u.test(character),
);
const NO_WHITESPACE = [
  '\u200b',
  '\u2060',
  '\ufeff',
  '\u180e',
  '\u001c',
  '\u001f',
  '\u0008',
  '\u00ad',
];

describe('whitespace at the ends of a value', () => {
  test('is each of the 25 characters that Unicode calls so', () => {
    expect(WHITESPACE).toHaveLength(25);
  });

  test.each(WHITESPACE.map((character) => [character.codePointAt(0)!.toString(16), character]))(
    'U+%s is refused at either end, in quotes too, and is fine inside',
    (_code, character) => {
      for (const term of [`${character}a`, `a${character}`, `é${character}`, character]) {
        const quoted = fileWith('cost', { term: 'HERE' }).replace('HERE', `"${term}"`);
        expect(reasonFor('cost', quoted)).toEqual({
          term: [`row 2: "${term}" has whitespace at its beginning or end`],
        });
      }
      expect(keysOf('cost', fileWith('cost', { term: `a${character}b` }))).toHaveLength(1);
    },
  );

  test.each(NO_WHITESPACE.map((character) => [character.codePointAt(0)!.toString(16), character]))(
    'U+%s is none',
    (_code, character) => {
      expect(keysOf('cost', fileWith('cost', { term: `${character}a${character}` }))).toHaveLength(
        1,
      );
    },
  );

  test.each([
    ['date', '2026-03-01'],
    ['currency', 'EUR'],
    ['impressions', '5'],
    ['cost', '5'],
    ['country', 'de'],
  ])('is what a %s with a space behind it is told of', (column, value) => {
    expect(reasonFor('cost', fileWith('cost', { [column]: `${value} ` }))).toEqual({
      [column]: [`row 2: "${value} " has whitespace at its beginning or end`],
    });
  });
});

describe('a channel with cost integration', () => {
  test.each(['Acme Ads', 'Søk'])('%s fails a cost file', (channel) => {
    expect(reasonFor('cost', fileWith('cost', { channel }))).toEqual({
      channel: [
        `row 2: "${channel}" is a channel with cost integration, its cost cannot be uploaded`,
      ],
    });
  });

  test.each(['acme ads', 'Acme', 'Acme Ads 2', 'S\u00c3\u00b8k', 'Sok'])(
    'is not %s, which only resembles one',
    (channel) => {
      expect(keysOf('cost', fileWith('cost', { channel }))).toHaveLength(1);
    },
  );

  test('depends on the facts of the upload alone', () => {
    const file = fileWith('cost', { channel: 'Acme Ads' });
    expect(keysOf('cost', file, { integratedChannels: [] })).toHaveLength(1);
    expect(reasonFor('cost', file, { integratedChannels: ['Other', 'Acme Ads'] })).toHaveProperty(
      'channel',
    );
  });
});
