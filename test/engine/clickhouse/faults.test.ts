import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import { retrying } from '../../../src/domain/retry.js';
import type { ClickHouseWarehouse } from '../../../src/warehouse/clickhouse/clickhouse-warehouse.js';
import { migrate } from '../../../src/warehouse/schema/migrate.js';
import { type NativeBlock, WarehouseError } from '../../../src/warehouse/warehouse.js';
import { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';
import type { Fault } from '../../support/clickhouse/faults.js';
import { storageBlock } from '../../support/model/native-rows.js';
import { connectTo } from '../../support/chdb/warehouses.js';
import { until } from '../../support/until.js';

/** Faults between this process and a server: the statement fails, and a retry succeeds. */

const TIMEOUT_MS = 2_000;

let server: ClickHouseHttp;
let warehouse: ClickHouseWarehouse;

beforeAll(async () => {
  server = await ClickHouseHttp.start();
  const patient = connectTo(server);
  await migrate(patient, 'custom_data');
  await patient.close();
  warehouse = connectTo(server, TIMEOUT_MS);
});
afterEach(() => server.heal());
afterAll(async () => {
  await warehouse.close();
  await server.stop();
});

async function failureOf(statement: Promise<unknown>): Promise<Partial<WarehouseError>> {
  const error: unknown = await statement.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WarehouseError);
  const { failure, code } = error as WarehouseError;
  return { failure, ...(code === undefined ? {} : { code }) };
}

let accounts = 0;

/** Makes an upload of one key with two rows, for a new account. */
function upload(): {
  block: NativeBlock;
  insert: () => Promise<void>;
  report: () => Promise<unknown[]>;
} {
  const account = `account-${++accounts}`;
  const row = { currency: 'EUR', impressions: 1, clicks: 2, cost: 0.5, ad_group: 'a' };
  const block = storageBlock('cost', [
    {
      account,
      date: '2026-01-01',
      channel: 'news',
      third: 'spring',
      version: 1n,
      requestId: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa',
      uploadedAt: 1_750_000_000,
      rows: [row, { ...row, ad_group: 'b' }],
    },
  ]);
  return {
    block,
    insert: () => warehouse.insert('cost', block),
    report: () =>
      server.query(
        `SELECT toUInt32(count()) AS rows, sum(cost) AS cost,
           (SELECT sum(cost) FROM cost_summary WHERE account = '${account}') AS total
         FROM cost_rows WHERE account = '${account}'`,
      ),
  };
}

const ONCE = [{ rows: 2, cost: 1, total: 1 }];
const NOTHING = [{ rows: 0, cost: 0, total: 0 }];

async function untilStored(insert: () => Promise<void>): Promise<WarehouseError[]> {
  const errors: WarehouseError[] = [];
  await retrying(
    insert,
    (error) => {
      errors.push(error as WarehouseError);
      return error instanceof WarehouseError && error.failure === 'retry';
    },
    new AbortController().signal,
  );
  return errors;
}

const applied: Fault['kind'][] = ['hang-after', 'fail-after', 'cut-answer'];
const notApplied: Fault['kind'][] = [
  'hang',
  'fail',
  'cut-request',
  'exception',
  'exception-in-header',
  'exception-in-body',
];

describe.each(applied)('%s: an insert is stored, and its answer is lost', (kind) => {
  test('it fails as one to try again; tried again, nothing is doubled', async () => {
    const { insert, report } = upload();
    await server.fault({ kind, on: 'insert', times: 2 });
    expect((await untilStored(insert)).map(({ code }) => code)).toEqual([undefined, undefined]);
    expect(await report()).toEqual(ONCE);
  });
});

describe.each(notApplied)('%s: an insert is not stored', (kind) => {
  test('it fails as one to try again, and then is', async () => {
    const { insert, report } = upload();
    await server.fault({ kind, on: 'insert', times: 1 });
    expect((await failureOf(insert())).failure).toBe('retry');
    expect(await report()).toEqual(NOTHING);
    await insert();
    expect(await report()).toEqual(ONCE);
  });

  test('a query fails as one to try again', async () => {
    await server.fault({ kind, times: 1 });
    expect((await failureOf(warehouse.query('SELECT 1 AS one'))).failure).toBe('retry');
    expect(await warehouse.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('a statement without a result fails as well', async () => {
    await server.fault({ kind, times: 1 });
    const statement = 'CREATE DATABASE IF NOT EXISTS custom_data';
    expect((await failureOf(warehouse.execute(statement))).failure).toBe('retry');
    await warehouse.execute(statement);
  });
});

describe.each(['exception', 'exception-in-header', 'exception-in-body'] as const)(
  '%s: the class is that of the code',
  (kind) => {
    test.each([
      [241, 'memory', 'memory'],
      [117, 'rejected', 'retry'],
      [33, 'rejected', 'retry'],
      [252, 'retry', 'retry'],
      [285, 'retry', 'retry'], // TOO_FEW_LIVE_REPLICAS
      [319, 'retry', 'retry'], // UNKNOWN_STATUS_OF_INSERT
    ])('%d: %s of an insert, %s of a query', async (code, ofInsert, ofQuery) => {
      await server.fault({ kind, code, times: 3 });
      expect(await failureOf(upload().insert())).toEqual({ failure: ofInsert, code });
      expect(await failureOf(warehouse.query('SELECT 1'))).toEqual({ failure: ofQuery, code });
      const statement = 'CREATE DATABASE IF NOT EXISTS custom_data';
      expect(await failureOf(warehouse.execute(statement))).toEqual({ failure: ofQuery, code });
    });
  },
);

test('an answer of rows that breaks off is no shorter answer', async () => {
  await server.fault({ kind: 'cut-answer', times: 1 });
  expect(await failureOf(warehouse.query('SELECT number AS n FROM numbers(3)'))).toEqual({
    failure: 'retry',
  });
});

test('a server that is slow is waited for within the timeout', async () => {
  await server.fault({ kind: 'slow', delayMs: TIMEOUT_MS / 2, times: 1 });
  expect(await warehouse.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a server that hangs is given up at the timeout', async () => {
  await server.fault({ kind: 'hang', times: 1 });
  const started = performance.now();
  expect(await failureOf(warehouse.query('SELECT 1'))).toEqual({ failure: 'retry' });
  expect(performance.now() - started).toBeLessThan(TIMEOUT_MS * 20);
});

test('a server that nobody can reach may come back', async () => {
  await server.refuse();
  const { insert, report } = upload();
  expect(await failureOf(insert())).toEqual({ failure: 'retry' });
  await server.heal();
  await insert();
  expect(await report()).toEqual(ONCE);
});

test('a server that was killed has what it had acknowledged', async () => {
  const { insert, report } = upload();
  await insert();
  await server.kill();
  expect(await failureOf(insert())).toEqual({ failure: 'retry' });
  await server.restart();
  await insert();
  expect(await report()).toEqual(ONCE);
});

test('closing ends what is in flight', async () => {
  const closing = connectTo(server);
  await server.fault({ kind: 'hang', times: 1 });
  const { struck } = await server.counts();
  const statement = failureOf(closing.query('SELECT 1'));
  await until(async () => (await server.counts()).struck !== struck, 5);
  await closing.close();
  expect(await statement).toEqual({ failure: 'retry' });
});

test('no error says where the server is or who asks it', async () => {
  await server.refuse();
  const { url, user, password } = server;
  for (const statement of [warehouse.query('SELECT 1'), warehouse.execute('x')]) {
    const error = await statement.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    for (const secret of [url, user, password]) {
      expect((error as WarehouseError).message).not.toContain(secret);
    }
  }
});

test('an insert whose connection between two servers is lost succeeds when it is repeated', async () => {
  const cluster = connectTo(server, TIMEOUT_MS, 'custom_data');
  const { block, report } = upload();
  await server.fault({ kind: 'exception', code: 32, on: 'insert', times: 1 });
  expect(await failureOf(cluster.insert('cost', block))).toEqual({ failure: 'retry', code: 32 });
  await cluster.insert('cost', block);
  expect(await report()).toEqual(ONCE);
  await cluster.close();
});
