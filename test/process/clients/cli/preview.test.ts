import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { COST, csvOf, type CsvRow } from '../../../support/model/warehouse-model.js';
import { type Answered, costRows, UploadFixture } from './upload/service.js';

let fixture: UploadFixture;
beforeAll(async () => {
  fixture = await UploadFixture.open();
});
afterAll(() => fixture.close());

const row = (campaign: string, cost: string, values: CsvRow = {}): CsvRow => ({
  ...{ date: '2026-02-03', channel: 'news', currency: 'EUR', campaign },
  ...{ impressions: '1', clicks: '1', cost, ...values },
});

async function preview(
  ...args: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const { code, out, err } = await fixture.run(['preview', ...args, '--family', 'cost']);
  return { code, out: out.replaceAll(`${fixture.folder}/`, ''), err };
}

async function stored(campaign: string): Promise<number> {
  const [found] = await fixture.service.query<{ rows: number }>(
    `SELECT count() AS rows FROM cost_rows WHERE campaign = '${campaign}'`,
  );
  return found!.rows;
}

test('a file is previewed, uploaded, and previewed again', async () => {
  const path = await fixture.file('first.csv', csvOf(COST, [row('a', '1.5'), row('b', '2')]));
  const first = await preview(path);
  expect(first.code).toBe(0);
  expect(first.out.replace(/at \S+ UTC/, 'at … UTC')).toBe(
    [
      'first.csv: 2 rows in 1 request, valid',
      '  2 keys: 2 new, 0 replaced, 0 unchanged (at … UTC)',
      '  warning: channel: "news" is a channel that the account has not had before (rows 2, 3)',
      '  sums of these keys, before and after',
      '    currency  impressions  clicks  cost',
      '    EUR       0 -> 2       0 -> 2  0 -> 3.5',
      '',
    ].join('\n'),
  );

  const uploaded = await fixture.run(['--json', 'upload', path, '--family', 'cost']);
  expect(uploaded.code).toBe(0);
  const next = await fixture.file('next.csv', csvOf(COST, [row('b', '2'), row('a', '9')]));
  const { code, out } = await preview('--json', next);
  expect(code).toBe(0);
  const [requestId] = await fixture.service.query<{ id: string }>(
    "SELECT toString(any(request_id)) AS id FROM cost_rows WHERE campaign = 'a'",
  );
  expect(JSON.parse(out)).toMatchObject({
    file: expect.stringContaining('next.csv'),
    rows: 2,
    requests: 1,
    valid: true,
    reason: {},
    keys: { total: 2, new: 0, replaced: 1, unchanged: 1 },
    totals: {
      listed: [
        {
          currency: 'EUR',
          before: { impressions: 2, clicks: 2, cost: 3.5 },
          after: { impressions: 2, clicks: 2, cost: 11 },
        },
      ],
      more: 0,
    },
    replaced: [{ campaign: 'a', requestId: requestId!.id }],
  });
});

test('a large file is previewed in parts, and its mistakes have the rows of the file', async () => {
  const rows = costRows(12_000, 'large');
  const valid = await preview(await fixture.file('large.csv', csvOf(COST, rows)));
  expect(valid.code).toBe(0);
  expect(valid.out).toMatch(
    /^large\.csv: 12000 rows in \d+ requests, valid\n {2}6000 keys: 6000 new, /,
  );
  const wrong = rows.with(7_000, { ...rows[7_000]!, cost: 'free' });
  const invalid = await preview(await fixture.file('wrong.csv', csvOf(COST, wrong)));
  expect(invalid.code).toBe(1);
  expect(invalid.out).toContain('    row 7002: "free" is not a number such as');
  expect(invalid.err).toMatch(/error: 1 of 1 files are not valid\n$/);
});

test('a file of more than 20 parts is not previewed before somebody was asked', async () => {
  const path = await fixture.file('many.csv', csvOf(COST, costRows(80_000, 'many')));
  const { code, out, err } = await preview(path);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/many\.csv: 80000 rows in 2\d requests\n/);
  expect(err).toContain('there is nobody to ask: give --yes to go on');
});

test('of a file that is not well-formed there is a preview too, which says why', async () => {
  const path = await fixture.file('torn.csv', `${csvOf(COST, [row('torn', '1')])}a,b\n`);
  const { code, out, err } = await preview('--json', path);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({
    file: 'torn.csv',
    rows: 2,
    requests: 0,
    valid: false,
    reason: { file: ['row 3: has 2 fields, the header has 7'] },
    keys: { total: 0, new: null, replaced: null, unchanged: null },
    compared: false,
    totals: null,
    replaced: [],
    warnings: [],
    asOf: expect.any(String),
  });
  expect(err).toContain('torn.csv is not well-formed');
  expect(err).not.toContain('nothing was sent');
  const forPeople = await preview(path);
  expect(forPeople.out).toMatch(/^torn\.csv: 2 rows in 0 requests, with mistakes\n {2}file\n/);
});

test('upload --preview shows it, and sends nothing where nobody can be asked', async () => {
  const path = await fixture.file('asked.csv', csvOf(COST, [row('asked', '1')]));
  const args = ['upload', path, '--family', 'cost', '--preview'];
  const refused = await fixture.run(args);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('there is nobody to ask: give --yes to go on');
  expect(refused.out).toContain('1 key: 1 new');
  expect(await stored('asked')).toBe(0);
  const sent = await fixture.run([...args, '--yes']);
  expect(sent.out).toContain('1 succeeded');
  expect(await stored('asked')).toBe(1);
});

describe('upload --preview at a terminal', () => {
  const upload = (answer: string, ...paths: readonly string[]): Promise<Answered> =>
    fixture.answering(answer, ['upload', ...paths, '--family', 'cost', '--preview']);

  test('sends the file when the answer is yes', async () => {
    const path = await fixture.file('yes.csv', csvOf(COST, [row('yes', '1')]));
    const { code, out, asked } = await upload('y', path);
    expect([code, asked]).toEqual([0, ['Send the file? [y/N] ']]);
    expect(out).toContain('1 key: 1 new');
    expect(out).toContain('1 succeeded');
    expect(await stored('yes')).toBe(1);
  });

  test('sends nothing when the answer is no', async () => {
    const path = await fixture.file('no.csv', csvOf(COST, [row('no', '1')]));
    const { code, out, err, asked } = await upload('n', path);
    expect([code, asked]).toEqual([1, ['Send the file? [y/N] ']]);
    expect(out).toContain('1 key: 1 new');
    expect(err).toMatch(/error: nothing was sent\n$/);
    expect(await stored('no')).toBe(0);
  });

  test('asks nothing and sends nothing when one of the files is not valid', async () => {
    const good = await fixture.file('good.csv', csvOf(COST, [row('good', '1')]));
    const bad = await fixture.file('bad.csv', csvOf(COST, [row('bad', 'free')]));
    const { code, out, err, asked } = await upload('y', good, bad);
    expect([code, asked]).toEqual([1, []]);
    expect(out).toContain('row 2: "free" is not a number such as');
    expect(err).toMatch(/error: 1 of 2 files are not valid, nothing was sent\n$/);
    expect([await stored('good'), await stored('bad')]).toEqual([0, 0]);
  });
});
