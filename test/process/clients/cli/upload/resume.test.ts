import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { type Fault, Proxy } from '../../api/proxy.js';
import { expectViewsToEqual } from '../../../../support/model/compare-views.js';
import { COST, csvOf, WarehouseModel } from '../../../../support/model/warehouse-model.js';
import { costRows, UploadFixture } from './service.js';

let fixture: UploadFixture;
let proxy: Proxy;
let fault: Fault = () => undefined;

beforeAll(async () => {
  fixture = await UploadFixture.open();
  proxy = await Proxy.start(
    () => fixture.service.ports.api,
    (call, index) => fault(call, index),
  );
});
afterAll(async () => {
  await proxy.close();
  await fixture.close();
});

const keysOfCreates = (): string[] =>
  proxy.asked
    .filter(({ method }) => method === 'POST')
    .map(({ headers }) => String(headers['idempotency-key']));

test('after Ctrl-C, --resume follows what was accepted, sends what is unknown under its old key, and skips what is finished', async () => {
  const rows = costRows(18_000, 'resumed');
  const path = await fixture.file('resumed.csv', csvOf(COST, rows));
  const args = ['upload', path, '--family', 'cost', '--concurrency', '2'];
  // From the third create on, the service accepts the part, but its answer is lost. Reads of one of
  // the first two requests are refused, so it stays accepted. The other one finishes.
  let creates = 0;
  let held = '';
  fault = ({ method, url }) => {
    if (method === 'POST' && ++creates >= 3) return 'cut after';
    if (method !== 'GET') return undefined;
    held ||= url;
    return url === held ? { status: 503 } : undefined;
  };
  const interrupted = fixture.start(args, undefined, proxy.url);
  const until = Date.now() + 40_000;
  while (creates < 4 && Date.now() < until) await sleep(20);
  interrupted.process.kill('SIGINT');
  const first = await interrupted.outcome;
  expect(first.code).toBe(130);
  expect(first.err).toContain('error: interrupted\n');
  expect(first.err).toContain('--resume');
  expect(first.out).toMatch(/: 1 succeeded, \d not finished\n/);

  const [firstKey, secondKey, ...unknownKeys] = keysOfCreates();
  proxy.asked.length = 0;
  fault = () => undefined;
  const resumed = await fixture.start([...args, '--resume'], undefined, proxy.url).outcome;
  expect([resumed.code, resumed.out]).toEqual([
    0,
    expect.stringMatching(/18000 rows in ([56]) requests: \1 succeeded\n$/),
  ]);
  expect(keysOfCreates()).not.toContain(firstKey);
  expect(keysOfCreates()).not.toContain(secondKey);
  expect(keysOfCreates()).toEqual(expect.arrayContaining([...new Set(unknownKeys)]));
  expect(proxy.asked.some(({ method, url }) => method === 'GET' && url === held)).toBe(true);

  const model = new WarehouseModel();
  model.apply('acme', COST, rows);
  await expectViewsToEqual(fixture.service, model, 'acme');

  // Nothing is left to resume.
  const again = await fixture.run([...args, '--resume'], proxy.url);
  expect(again.code).toBe(2);
});

test('a request that the service does not keep any more is told, and how to go on', async () => {
  const path = await fixture.file('forgotten.csv', csvOf(COST, costRows(4, 'forgotten')));
  const args = ['upload', path, '--family', 'cost'];
  let reads = 0;
  fault = ({ method }) => (method === 'GET' && ++reads > 0 ? { status: 503 } : undefined);
  const interrupted = fixture.start(args, undefined, proxy.url);
  const until = Date.now() + 40_000;
  while (reads === 0 && Date.now() < until) await sleep(20);
  interrupted.process.kill('SIGINT');
  expect((await interrupted.outcome).code).toBe(130);

  fault = ({ method }) => (method === 'GET' ? { status: 404 } : undefined);
  const { code, err } = await fixture.run([...args, '--resume'], proxy.url);
  expect([code, err]).toEqual([1, expect.stringContaining('upload again without --resume')]);
  expect(err).not.toContain('to go on');
  fault = () => undefined;
  expect((await fixture.run(args, proxy.url)).code).toBe(0);
});

test('the same file uploaded again is a new upload, with new keys', async () => {
  const path = await fixture.file('again.csv', csvOf(COST, costRows(4, 'again')));
  const args = ['upload', path, '--family', 'cost'];
  proxy.asked.length = 0;
  for (let i = 0; i < 2; i++) {
    expect((await fixture.run(args, proxy.url)).code).toBe(0);
  }
  expect(new Set(keysOfCreates()).size).toBe(2);
});

test('an upload goes on by itself when the service is stopped and started in between', async () => {
  const rows = costRows(6_000, 'restart');
  const path = await fixture.file('restart.csv', csvOf(COST, rows));
  const args = ['upload', path, '--family', 'cost', '--concurrency', '1'];
  const outage = Date.now();
  // A load balancer answers like this while the service behind it is away.
  fault = () => (Date.now() - outage < 3_000 ? { status: 502 } : undefined);
  const { code } = await fixture.run(args, proxy.url);
  expect(code).toBe(0);
  const stored = await fixture.service.query(
    `SELECT count() AS rows FROM cost_rows WHERE campaign LIKE 'restart %'`,
  );
  expect(stored).toEqual([{ rows: 6_000 }]);
});
