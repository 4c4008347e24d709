import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { jsonLines, outcomeOf } from '../../support/service/outcome.js';
import { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';
import { storageBlock } from '../../support/model/native-rows.js';
import { connectTo } from '../../support/chdb/warehouses.js';

let server: ClickHouseHttp;
beforeAll(async () => {
  server = await ClickHouseHttp.start();
});
afterAll(() => server.stop());

test('migrate makes the database and the schema, and once they are there changes nothing', async () => {
  for (let i = 0; i < 2; i++) {
    expect(await outcomeOf(server.env, 'migrate')).toEqual({
      code: 0,
      out: '',
      err: 'the schema of custom_data is up to date\n',
    });
  }
  expect(await server.query('SELECT * FROM cost_report')).toEqual([]);
});

test('migrate --wait waits for a server that does not answer yet', async () => {
  await server.refuse();
  const migration = outcomeOf(server.env, 'migrate', '--wait', '60');
  expect(await Promise.race([migration, sleep(2_500, 'waits')])).toBe('waits');
  await server.heal();
  expect(await migration).toMatchObject({ code: 0 });
});

test('migrate --wait ends when the time is over', async () => {
  const env = { ...server.env, CLICKHOUSE_URL: 'http://127.0.0.1:1' };
  const from = Date.now();
  expect(await outcomeOf(env, 'migrate', '--wait', '2')).toMatchObject({ code: 3 });
  expect(Date.now() - from).toBeGreaterThan(1_000);
});

test('metrics list asks the server', async () => {
  const connection = connectTo(server);
  await connection.insert(
    'self_serve',
    storageBlock('self_serve', [
      {
        account: 'acme',
        date: '2026-01-01',
        channel: 'news',
        third: 'visits',
        version: 1n,
        requestId: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa',
        uploadedAt: 1_750_000_000,
        rows: [{ event_value: 1 }],
      },
    ]),
  );
  await connection.close();
  const { code, out } = await outcomeOf(server.env, 'metrics', 'list', '--account', 'acme');
  expect(code).toBe(0);
  expect(out).toContain('acme     visits  2025-06-15 15:06:40');
  const asJson = await outcomeOf(server.env, 'metrics', 'list', '--json');
  expect(jsonLines(asJson.out)).toEqual([
    {
      account: 'acme',
      name: 'visits',
      firstSeen: '2025-06-15 15:06:40',
      lastSeen: '2025-06-15 15:06:40',
      archived: false,
    },
  ]);
});

test.each([
  [{ CLICKHOUSE_PASSWORD: 'secret' }, 'CLICKHOUSE_USER, CLICKHOUSE_PASSWORD: the ClickHouse'],
  [{ CLICKHOUSE_URL: 'http://127.0.0.1:1' }, 'CLICKHOUSE_URL: no ClickHouse server answers at'],
])('a server that refuses or is not there: one line that names the variable', async (env, line) => {
  const { code, err } = await outcomeOf({ ...server.env, ...env }, 'migrate');
  expect(code).not.toBe(0);
  expect(err).toContain(`error: ${line}`);
  expect(err.split('\n')).toHaveLength(2);
});
