import { gunzipSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { csv, goodRow, keysOf, type Values } from '../../../../support/files/files.js';
import { divided } from './divided.js';

const MIB = 1_048_576;

/** Returns rows of `keys` overwrite keys. Rows of one key are as far apart as possible. */
function scattered(rows: number, keys: number, more: Values = {}): Values[] {
  return Array.from({ length: rows }, (_, i) =>
    goodRow('cost', { campaign: `campaign ${i % keys}`, clicks: String(i), ...more }),
  );
}

/** Returns the campaign of each line of a part. Each campaign is one key. */
function campaignsOf(content: Buffer): string[] {
  const [header, ...lines] = content.toString().trimEnd().split('\n');
  const column = header!.split(',').indexOf('campaign');
  return lines.map((line) => line.split(',')[column]!);
}

describe('a cost file of 30,000 rows whose keys are scattered all over it', () => {
  const rows = scattered(30_000, 7_000);

  test('is divided into parts of at most 10,000 rows and 1 MiB, each key in one part', async () => {
    const { parts, problems } = await divided('cost', csv(rows));
    expect(problems).toEqual([]);
    expect(parts.length).toBeGreaterThanOrEqual(3);
    expect(parts.length).toBeLessThanOrEqual(4);
    const keysOfParts = parts.map(({ content, sent, rowNumbers }) => {
      const campaigns = campaignsOf(content);
      expect(campaigns.length).toBeLessThanOrEqual(10_000);
      expect(campaigns).toHaveLength(rowNumbers.length);
      expect(sent.length).toBeLessThanOrEqual(MIB);
      return [...new Set(campaigns)];
    });
    // A key in two parts would be counted twice.
    expect(keysOfParts.flat()).toHaveLength(7_000);
    expect(new Set(keysOfParts.flat()).size).toBe(7_000);
  });

  test('keeps every row once, and says which row of the file it is', async () => {
    const { parts } = await divided('cost', csv(rows), { size: 100 * MIB });
    const lines = csv(rows).split('\n');
    const seen = new Set<number>();
    for (const { content, rowNumbers } of parts) {
      const [header, ...own] = content.toString().trimEnd().split('\n');
      expect(header).toBe(lines[0]);
      own.forEach((line, i) => {
        if (line !== lines[rowNumbers[i]! - 1]) throw new Error(`row ${rowNumbers[i]!}: ${line}`);
        seen.add(rowNumbers[i]!);
      });
    }
    expect(seen.size).toBe(30_000);
  });

  test('is divided the same way again', async () => {
    const [first, second] = [await divided('cost', csv(rows)), await divided('cost', csv(rows))];
    expect(first.parts.map(({ content }) => content.toString())).toEqual(
      second.parts.map(({ content }) => content.toString()),
    );
  });
});

test('events such as an interrupt have their turn between two partitions', async () => {
  let given = 0;
  let givenBefore: number | undefined;
  const onPart = (): void => {
    given++;
    if (given === 1) setImmediate(() => (givenBefore = given));
  };
  const { parts } = await divided('cost', csv(scattered(30_000, 7_000)), { size: 8 * MIB, onPart });
  expect(givenBefore).toBeLessThan(parts.length);
});

test('a file that fits into one request goes as it is, in its own order', async () => {
  const file = csv(scattered(500, 7));
  const { parts } = await divided('cost', file);
  expect(parts.map(({ content }) => content.toString())).toEqual([file]);
});

test('wherever the pieces end, the rows are the ones that the service finds', async () => {
  const text = fc.constantFrom('a', 'b"b', '"', 'x\ny', 'x\r\ny', 'ü', 'a,b', '€ "€"', 'é\n');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ campaign: text, ad_group: text }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.boolean(),
      async (values, pieceBytes, lineBreak, hasMark, hasLastBreak) => {
        const rows = values.map((row) => goodRow('cost', { ...row, term: 't' }));
        const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;
        const lines = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row).map(quoted))];
        const body = lines.map((line) => line.join(',')).join(lineBreak);
        const file = (hasMark ? '\ufeff' : '') + body + (hasLastBreak ? lineBreak : '');
        const { parts, problems } = await divided('cost', file, { pieceBytes });
        // The service refuses values with outer whitespace. Then this compares the reasons, which
        // name the rows.
        const plain = (content: string | Uint8Array): string =>
          JSON.stringify(keysIfValid(content));
        expect(problems).toEqual([]);
        expect(parts).toHaveLength(1);
        expect(plain(parts[0]!.content)).toBe(plain(file));
      },
    ),
    { numRuns: 100 },
  );

  function keysIfValid(file: string | Uint8Array): unknown {
    try {
      return keysOf('cost', file).map(({ key, rows }) => [
        key,
        rows.map(({ ad_group }) => ad_group),
      ]);
    } catch (error) {
      return (error as Error).message;
    }
  }
});

describe('what keeps a file from being uploaded is said:', () => {
  test('a key with more rows than a request holds, by its name', async () => {
    const rows = [...scattered(10_001, 1, { campaign: 'Sale, "big"' }), ...scattered(5, 5)];
    const { problems } = await divided('cost', csv(rows));
    expect(problems).toEqual([
      'file: the 10001 rows of the overwrite key (2026-03-01, Search, Sale, "big") must be in one ' +
        'request, but a request holds at most 10000 rows and 1048576 bytes',
    ]);
  });

  test('a key with more bytes than a request holds', async () => {
    const rows = scattered(6_000, 2, { ad_group: 'x'.repeat(250), ad_creative: 'y'.repeat(250) });
    const { problems } = await divided('cost', csv(rows));
    expect(problems.map((problem) => /campaign \d/.exec(problem)?.[0]).sort()).toEqual([
      'campaign 0',
      'campaign 1',
    ]);
    expect(problems[0]).toContain('the 3000 rows of the overwrite key (2026-03-01, Search, ');
  });

  test.each([
    ['an empty file', '', 'file: the file is empty'],
    [
      'a file without rows',
      csv([goodRow('cost')]).split('\n')[0]! + '\n',
      'file: the file has no data rows',
    ],
    [
      'a row of another width',
      csv([goodRow('cost')]) + 'x\n',
      'row 3: has 1 field, the header has 7',
    ],
    ['an open quote', csv([goodRow('cost')]) + '"x\n', 'row 3: a quoted field is not closed'],
    [
      'an empty line in between',
      csv([goodRow('cost')]) + '\n\n',
      'row 3: has 1 field, the header has 7',
    ],
    ['a missing column', 'date,channel\n', 'currency: row 1: the required column is missing'],
    [
      'an unknown column',
      'date,chanel\n',
      'chanel: row 1: "chanel" is not a column of a cost upload',
    ],
  ])('%s', async (_name, file, problem) => {
    for (const pieceBytes of [1, 7, 65_536]) {
      expect((await divided('cost', file, { pieceBytes })).problems).toContain(problem);
    }
  });

  test('a row without an end, without reading it all into memory', async () => {
    const file = csv([goodRow('cost')]) + '"' + 'x'.repeat(5 * MIB);
    const { problems } = await divided('cost', file);
    expect(problems).toEqual([
      'file: row 3: is longer than 1048576 bytes, maybe a quoted field is not closed',
    ]);
  });
});

describe('a self-serve file', () => {
  const row = (i: number, campaign: string): Values =>
    goodRow('self-serve', { event_category: `Metric${i % 3_000}`, campaign });

  test('is compressed, and each part is at most 1 MiB then, also when it does not shrink', async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => row(i, randomBytes(60).toString('hex')));
    const { parts, problems } = await divided('self-serve', csv(rows));
    expect(problems).toEqual([]);
    let count = 0;
    const keys: string[] = [];
    for (const { content, sent, rowNumbers } of parts) {
      expect(sent.length).toBeLessThanOrEqual(MIB);
      expect(gunzipSync(sent).equals(content)).toBe(true);
      count += rowNumbers.length;
      const lines = content.toString().trimEnd().split('\n').slice(1);
      keys.push(...new Set(lines.map((line) => line.split(',')[2]!)));
    }
    expect([count, keys.length, new Set(keys).size]).toEqual([30_000, 3_000, 3_000]);
  });

  test('whose one key does not shrink to 1 MiB cannot be uploaded', async () => {
    const rows = Array.from({ length: 20_000 }, () =>
      goodRow('self-serve', { campaign: randomBytes(60).toString('hex') }),
    );
    const { parts, problems } = await divided('self-serve', csv(rows));
    expect(parts).toEqual([]);
    expect(problems).toEqual([
      'file: the 20000 rows of the overwrite key (2026-03-01, Search, Signups) must be in one ' +
        'request, but a request holds at most 1048576 bytes as gzip, 33554432 unpacked',
    ]);
  });
});
