import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseString } from 'fast-csv';

import { csv, goodRow, reasonFor, type Values } from '../../../support/files/files.js';
import { outcomeOf } from '../../../support/service/outcome.js';
import { makeFolder, removeFolder, startProgram } from './program.js';

let folder: string;
let path: string;
let annotated: string;

beforeAll(async () => {
  folder = await makeFolder();
  path = join(folder, 'file.csv');
  annotated = join(folder, 'annotated.csv');
});
afterAll(() => removeFolder(folder));

async function validate(
  content: string | Uint8Array,
  family = 'cost',
  ...more: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  await writeFile(path, content);
  const { code, out, err } = await outcomeOf(
    { INTEGRATED_CHANNELS: 'Acme Ads' },
    ...['validate', path, '--family', family, ...more],
  );
  return { code, out: out.replaceAll(path, 'file.csv'), err: err.replaceAll(path, 'file.csv') };
}

/** The rows of the annotated file as a spreadsheet reads them. */
async function annotatedRows(): Promise<string[][]> {
  const text = await readFile(annotated, 'utf8');
  expect(text.startsWith('\ufeff')).toBe(true);
  return new Promise((resolve, reject) => {
    const rows: string[][] = [];
    parseString(text.slice(1))
      .on('data', (row: string[]) => rows.push(row))
      .on('error', reject)
      .on('end', () => {
        resolve(rows);
      });
  });
}

test('bytes behind the gzip data are refused, zero bytes too', async () => {
  const packed = gzipSync(csv([goodRow('cost')]));
  expect((await validate(packed)).code).toBe(0);
  for (const behind of [Buffer.alloc(1), Buffer.concat([Buffer.alloc(9), packed])]) {
    const { code, err } = await validate(Buffer.concat([packed, behind]));
    expect([code, err]).toEqual([1, 'error: there are bytes after the end of the gzip data\n']);
  }
  expect((await validate(Buffer.concat([packed, packed.subarray(0, 30)]))).code).toBe(1);
});

test('a valid file ends with 0', async () => {
  expect(await validate(csv([goodRow('cost'), goodRow('cost')]))).toEqual({
    code: 0,
    out: 'file.csv: 2 rows, valid\n',
    err: '',
  });
});

test('an invalid file ends with 1 and says what the service would say', async () => {
  const rows = [
    goodRow('cost', { channel: 'Acme Ads', clicks: '1.5' }),
    goodRow('cost'),
    ...Array.from({ length: 24 }, () => goodRow('cost', { currency: 'eur' })),
  ];
  const file = csv(rows);
  const { code, out, err } = await validate(file);
  expect([code, err]).toEqual([1, 'error: file.csv is not valid\n']);
  const reason = reasonFor('cost', file);
  const [head, ...lines] = out.trimEnd().split('\n');
  expect(head).toBe('file.csv: 26 rows, 25 of them wrong');
  const said: Record<string, string[]> = {};
  let column = '';
  for (const line of lines) {
    if (line.startsWith('    ')) said[column]!.push(line.trim());
    else said[(column = line.trim())] = [];
  }
  expect(said).toEqual(reason);
});

test('as JSON the result has the reason by column', async () => {
  const file = csv([goodRow('cost'), goodRow('cost', { clicks: '1.5' })]);
  const { code, out } = await validate(file, 'cost', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({
    file: 'file.csv',
    rows: 2,
    wrongRows: 1,
    isValid: false,
    reason: reasonFor('cost', file),
  });
});

test('a file larger than a request is judged by the rows of the file', async () => {
  const rows = Array.from({ length: 25_000 }, (_, i) =>
    goodRow('cost', { campaign: `c${i % 9_000}`, ...((i === 3 || i === 24_990) && { cost: 'x' }) }),
  );
  const { code, out } = await validate(csv(rows), 'cost', '--annotate', annotated);
  expect(code).toBe(1);
  expect(out).toBe(
    'file.csv: 25000 rows, 2 of them wrong\n' +
      '  cost\n' +
      '    row 5: "x" is not a number such as 12, -3.5 or 1.5e3\n' +
      '    row 24992: "x" is not a number such as 12, -3.5 or 1.5e3\n',
  );
  expect((await annotatedRows()).map((row) => row.at(-1))).toEqual([
    'error',
    'row 5: cost "x" is not a number such as 12, -3.5 or 1.5e3',
    'row 24992: cost "x" is not a number such as 12, -3.5 or 1.5e3',
  ]);
});

test.each(['the file', 'a link to the file'])(
  'the annotated file is not written over %s itself',
  async (what) => {
    const link = join(folder, 'link.csv');
    await rm(link, { force: true });
    await symlink(path, link);
    const content = csv([goodRow('cost'), goodRow('cost', { clicks: 'many' })]);
    const out = what === 'the file' ? path : link;
    const { code, err } = await validate(content, 'cost', '--annotate', out);
    const named = what === 'the file' ? 'file.csv' : link;
    expect([code, err]).toEqual([2, `error: ${named} is the file itself, which stays as it is\n`]);
    expect(await readFile(path, 'utf8')).toBe(content);
  },
);

test('the annotated file has every wrong row with all that is wrong, and no formula', async () => {
  const wrong: Values = goodRow('cost', {
    campaign: '=HYPERLINK("http://x"), 1',
    cost: '-1.5',
    clicks: '+x',
    currency: '@EUR',
  });
  const many = Array.from({ length: 30 }, () => goodRow('cost', { currency: 'eur' }));
  const { err } = await validate(
    csv([goodRow('cost'), wrong, ...many]) + 'a,b\n',
    'cost',
    '--annotate',
    annotated,
  );
  expect(err).toBe(`wrote 32 rows to ${annotated}\nerror: file.csv is not valid\n`);
  const [header, first, ...rest] = await annotatedRows();
  expect(header).toEqual([...Object.keys(goodRow('cost')), 'error']);
  expect(first).toEqual([
    '2026-03-01',
    'Search',
    "'@EUR",
    '\'=HYPERLINK("http://x"), 1',
    '100',
    "'+x",
    '-1.5',
    'row 3: currency "@EUR" is not an ISO 4217 currency code in uppercase; ' +
      'clicks "+x" is not a whole number from 0 to 999999999999, digits only',
  ]);
  expect(rest).toHaveLength(31);
  expect(rest.at(-1)).toEqual([
    'a',
    'b',
    '',
    '',
    '',
    '',
    '',
    'row 34: has 2 fields, the header has 7',
  ]);
});

test('the days of a self-serve file are those of the time zone', async () => {
  const ahead = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
  const utc = new Date().toISOString().slice(0, 10);
  const file = csv([goodRow('self-serve', { date: ahead })]);
  // UTC+14: the day begins here first.
  expect((await validate(file, 'self-serve', '--time-zone', 'Pacific/Kiritimati')).code).toBe(0);
  expect((await validate(file, 'self-serve')).code).toBe(ahead === utc ? 0 : 1);
});

test('a key that fits into no request, a wrong header and an empty file are said', async () => {
  const key = Array.from({ length: 10_001 }, () => goodRow('cost'));
  expect((await validate(csv(key))).out).toContain('(2026-03-01, Search, Spring) must be in one');
  expect((await validate('date,Channel\n')).out).toContain('"Channel" is not a column of a cost');
  expect((await validate('')).out).toContain('the file is empty');
});

test('a file as a spreadsheet saves it is said to be one, as the service says it', async () => {
  const many = Array.from({ length: 1_000 }, (_, i) => goodRow('cost', { campaign: `c${i}` }));
  const files = [
    csv([goodRow('cost')]).replaceAll(',', ';'),
    csv([goodRow('cost', { date: '31.12.2025' }), goodRow('cost', { cost: '1,5' })]),
    Buffer.from(csv([goodRow('cost', { campaign: 'Größe' })]), 'latin1'),
    // Its first other letter comes late.
    Buffer.from(csv([...many, goodRow('cost', { campaign: 'Größe' })]), 'latin1'),
  ];
  for (const file of files) {
    const hint = reasonFor('cost', file)['file']!.at(-1)!;
    expect(hint).toContain('"custom-data convert"');
    const { code, out } = await validate(file);
    expect([code, out]).toEqual([1, expect.stringContaining(`  file\n    ${hint}\n`)]);
  }
});

test('standard input is a file', async () => {
  const { outcome } = startProgram(
    {},
    ['validate', '-', '--family', 'cost'],
    csv([goodRow('cost')]),
  );
  expect(await outcome).toEqual({ code: 0, out: 'standard input: 1 rows, valid\n', err: '' });
});
