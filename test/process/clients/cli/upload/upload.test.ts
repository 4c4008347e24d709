import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import { Proxy } from '../../api/proxy.js';
import {
  COST,
  type CsvRow,
  csvOf,
  SELF_SERVE,
  WarehouseModel,
} from '../../../../support/model/warehouse-model.js';
import { expectViewsToEqual } from '../../../../support/model/compare-views.js';
import { costRows, UploadFixture } from './service.js';

let fixture: UploadFixture;
let proxy: Proxy | undefined;
/** All uploads of these tests, in order. Tests that compare rows have an account each. */
const model = new WarehouseModel();

beforeAll(async () => {
  fixture = await UploadFixture.open('packed', 'twice');
});
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});
afterAll(() => fixture.close());

const states = (): string[] => {
  const folder = join(fixture.stateHome, 'custom-data', 'uploads');
  return existsSync(folder) ? readdirSync(folder) : [];
};

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function metricRows(count: number, categories: number): CsvRow[] {
  return Array.from({ length: count }, (_, i) => ({
    date: today(),
    channel: 'radio',
    event_category: `Metric${i % categories}`,
    event_value: String(i % 8),
    content: `content ${i}`,
  }));
}

test('a file of 12,000 rows with its keys far apart is stored as the model says, in several requests', async () => {
  const rows = costRows(12_000, 'large');
  const path = await fixture.file('large.csv', csvOf(COST, rows));
  const { code, out, err } = await fixture.start(['upload', path, '--family', 'cost']).outcome;
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/large\.csv: 12000 rows in ([45]) requests: \1 succeeded\n$/),
  ]);
  // Without a terminal, the tool prints a plain line for each request.
  expect(err.match(/request \d of \d: succeeded/g)!.length).toBeGreaterThanOrEqual(4);
  expect(err).not.toContain('\r');
  expect(states()).toEqual([]);
  model.apply('acme', COST, rows);
  await expectViewsToEqual(fixture.service, model, 'acme');
});

test('standard input is a file, and gzip is unpacked', async () => {
  const rows = metricRows(5_000, 40);
  const input = gzipSync(csvOf(SELF_SERVE, rows));
  const args = ['upload', '-', '--family', 'self-serve'];
  const { code, out } = await fixture.start(args, input, fixture.url, 'packed').outcome;
  expect([code, out]).toEqual([0, 'standard input: 5000 rows in 1 request: 1 succeeded\n']);
  model.apply('packed', SELF_SERVE, rows);
  await expectViewsToEqual(fixture.service, model, 'packed');
});

test('of several files with the same keys the last one wins, whatever their sizes', async () => {
  const large = costRows(6_000, 'twice');
  const small = costRows(10, 'twice').map((row) => ({ ...row, cost: '7', ad_group: 'later' }));
  const paths = [
    await fixture.file('first.csv', csvOf(COST, large)),
    await fixture.file('second.csv', csvOf(COST, small)),
  ];
  const args = ['upload', ...paths, '--family', 'cost', '--concurrency', '16'];
  expect((await fixture.run(args, fixture.url, 'twice')).code).toBe(0);
  model.apply('twice', COST, large);
  model.apply('twice', COST, small);
  await expectViewsToEqual(fixture.service, model, 'twice');
});

test('a request that fails is told with its reasons by the rows of the file, and ends with 1', async () => {
  const rows = costRows(9_000, 'partly');
  const wrong = rows.map((row, i) => (i === 4 || i === 7_000 ? { ...row, clicks: 'many' } : row));
  const path = await fixture.file('partly.csv', csvOf(COST, wrong));
  const { code, out, err } = await fixture.run(['upload', path, '--family', 'cost']);
  expect(code).toBe(1);
  expect(out).toMatch(/partly\.csv: 9000 rows in \d requests: \d succeeded, 2 failed\n/);
  expect(out).toContain(
    '  clicks\n' +
      '    row 6: "many" is not a whole number from 0 to 999999999999, digits only\n' +
      '    row 7002: "many" is not a whole number from 0 to 999999999999, digits only\n',
  );
  expect(err).toMatch(/error: 2 of \d requests did not succeed\n$/);
  // The others are stored, and there is nothing to resume.
  const [stored] = await fixture.service.query<{ keys: number }>(
    `SELECT count(DISTINCT campaign) AS keys FROM cost_rows WHERE campaign LIKE 'partly %'`,
  );
  expect(stored!.keys).toBeGreaterThan(0);
  expect(states()).toEqual([]);
});

test('as JSON each file has its counts and the reason by column', async () => {
  const wrong = costRows(3, 'json').map((row, i) => (i === 1 ? { ...row, clicks: 'many' } : row));
  const paths = [
    await fixture.file('right.csv', csvOf(COST, costRows(2, 'right'))),
    await fixture.file('wrong.csv', csvOf(COST, wrong)),
  ];
  const args = ['upload', ...paths, '--family', 'cost', '--json'];
  const { code, out } = await fixture.run(args);
  expect(code).toBe(1);
  const counts = { requests: 1, open: 0 };
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    {
      ...counts,
      file: paths[0],
      rows: 2,
      succeeded: 1,
      failed: 0,
      failedRequests: [],
      reason: {},
    },
    {
      ...counts,
      file: paths[1],
      rows: 3,
      succeeded: 0,
      failed: 1,
      failedRequests: [expect.any(String)],
      reason: {
        clicks: ['row 3: "many" is not a whole number from 0 to 999999999999, digits only'],
      },
    },
  ]);
});

test('as JSON a file that cannot be uploaded has the same fields', async () => {
  const path = await fixture.file('torn.csv', `${csvOf(COST, costRows(2, 'torn'))}a,b\n`);
  const { code, out } = await fixture.run(['upload', path, '--family', 'cost', '--json']);
  expect([code, JSON.parse(out)]).toEqual([
    1,
    {
      file: path,
      rows: 3,
      requests: 0,
      succeeded: 0,
      failed: 0,
      open: 0,
      failedRequests: [],
      reason: { file: ['row 4: has 2 fields, the header has 8'] },
    },
  ]);
});

test('while the service does not answer the upload waits as long as it is told, and ends with 3', async () => {
  const path = await fixture.file('away.csv', csvOf(COST, costRows(2, 'away')));
  const args = ['upload', path, '--family', 'cost', '--retry-for', '1'];
  const { code, err } = await fixture.run(args, 'http://127.0.0.1:1');
  expect([code, err]).toEqual([3, expect.stringContaining('1 of 1 requests did not succeed')]);
});

describe('nothing is sent', () => {
  test.each([
    [
      'a key is too large',
      csvOf(
        COST,
        costRows(20_002, 'x').map((row) => ({ ...row, campaign: 'one' })),
      ),
      'the 20002 rows of the overwrite key (2026-02-03, news, one) must be in one request',
    ],
    ['the header is wrong', 'date,channel\n', 'row 1: the required column is missing'],
    [
      'a row is malformed',
      `${csvOf(COST, costRows(2, 'x'))}a,b\n`,
      'row 4: has 2 fields, the header has 8',
    ],
  ])('when %s, also in the second of two files', async (name, content, message) => {
    proxy = await Proxy.start(() => fixture.service.ports.api);
    const good = await fixture.file('good.csv', csvOf(COST, costRows(2, 'never')));
    const bad = await fixture.file('bad.csv', content);
    const args = ['upload', good, bad, '--family', 'cost'];
    const { code, out, err } = await fixture.run(args, proxy.url);
    expect([name, code]).toEqual([name, 1]);
    expect(out).toContain(message);
    expect(err).toContain('bad.csv cannot be uploaded, nothing was sent');
    expect(proxy.asked).toEqual([]);
  });

  test.each([
    ['without a family', []],
    ['with a file that is not there', ['not-there.csv', '--family', 'cost']],
    ['with an address that is none', ['--family', 'cost', '--url', 'nowhere']],
    ['with a token file that is not there', ['--family', 'cost', '--token-file', 'no']],
    ['when there is nothing to resume', ['--family', 'cost', '--resume']],
  ])('%s, and the command ends with 2', async (_name, args) => {
    const path = await fixture.file('never.csv', csvOf(COST, costRows(1, 'never')));
    const { code, err } = await fixture.run(['upload', path, ...args]);
    expect([code, err]).toEqual([2, expect.stringMatching(/^(.*\n)?error: .*\n$/)]);
  });
});

test('while the service is busy or breaks off, requests are sent again until they are taken', async () => {
  const rows = costRows(8_000, 'busy');
  let refused = 0;
  proxy = await Proxy.start(
    () => fixture.service.ports.api,
    ({ method }) => {
      if (method !== 'POST' || refused === 6) return undefined;
      refused++;
      return ([{ status: 503 }, 'cut', 'cut after'] as const)[refused % 3];
    },
  );
  const path = await fixture.file('busy.csv', csvOf(COST, rows));
  const args = ['upload', path, '--family', 'cost'];
  expect((await fixture.run(args, proxy.url)).code).toBe(0);
  expect(refused).toBe(6);
  model.apply('acme', COST, rows);
  const stored = await fixture.service.query(
    `SELECT count() AS rows, uniqExact(ad_group) AS groups FROM cost_rows WHERE campaign LIKE 'busy %'`,
  );
  expect(stored).toEqual([{ rows: 8_000, groups: 8_000 }]);
});

test('a token that is refused ends the upload with 1, and tells what is left', async () => {
  const path = await fixture.file('token.csv', csvOf(COST, costRows(9_000, 'token')));
  const tokenFile = await fixture.file('token', 'unknown-token\n');
  const args = [
    'upload',
    path,
    '--family',
    'cost',
    '--token-file',
    tokenFile,
    '--concurrency',
    '1',
  ];
  const { code, out, err } = await fixture.run(args);
  expect(code).toBe(1);
  expect(out).toMatch(/: 0 succeeded, (\d) not finished\n$/);
  // The tool stops at the first refusal.
  expect(err.match(/401 Unauthorized/g)).toHaveLength(1);
  // It would be refused again.
  expect(err).not.toContain('--resume');
});
