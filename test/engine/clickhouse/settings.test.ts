import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';

import { ClickHouseWarehouse } from '../../../src/warehouse/clickhouse/clickhouse-warehouse.js';
import { blockOf, column, UINT32 } from '../../../src/warehouse/native/block.js';
import { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';

/** What the adapter sends by its configuration. */

interface Sent {
  readonly settings: URLSearchParams;
  readonly encoding: string | undefined;
  readonly body: Buffer;
}

const BLOCK = blockOf([column('n', UINT32, [1, 2, 3])], 3);
let server: Server;
let sent: Sent[];

beforeAll(async () => {
  server = createServer((request, response) => {
    void request.toArray().then((parts: Buffer[]) => {
      const { searchParams } = new URL(request.url!, 'http://localhost');
      const { 'content-encoding': encoding } = request.headers;
      sent.push({ settings: searchParams, encoding, body: Buffer.concat(parts) });
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  sent = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function warehouseAt(
  url: string,
  options: { readonly compression?: 'none' | 'gzip'; readonly insertQuorum?: string } = {},
): ClickHouseWarehouse {
  return new ClickHouseWarehouse({
    url,
    user: 'custom_data',
    password: 'p@ss:wörd',
    tls: {},
    compression: options.compression ?? 'none',
    insertQuorum: options.insertQuorum,
    timeoutMs: 20_000,
    database: 'custom_data',
  });
}

function here(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a quorum goes with inserts, and with nothing else', async () => {
  const warehouse = warehouseAt(here(), { insertQuorum: 'auto' });
  await warehouse.insert('t', BLOCK);
  await warehouse.execute('SELECT 1');
  await warehouse.close();
  expect(sent.map(({ settings }) => settings.get('insert_quorum'))).toEqual(['auto', null]);
  expect(sent[0]!.settings.get('insert_quorum_timeout')).toBe('15000');
  expect(sent[0]!.settings.get('distributed_foreground_insert')).toBe('1');
});

test('inserts and look-ups name the same replica: the first one that is up', async () => {
  const warehouse = warehouseAt(here(), { insertQuorum: 'auto' });
  await warehouse.insert('t', BLOCK);
  await warehouse.lookUp('SELECT n FROM asked', BLOCK);
  await warehouse.query('SELECT 1');
  await warehouse.close();
  expect(sent).toHaveLength(3);
  for (const { settings } of sent) {
    expect(settings.get('load_balancing')).toBe('in_order');
    expect(settings.get('prefer_localhost_replica')).toBe('0');
  }
});

test('without a quorum nothing is asked of replicas', async () => {
  const warehouse = warehouseAt(here());
  await warehouse.insert('t', BLOCK);
  await warehouse.close();
  expect(sent[0]!.settings.has('insert_quorum')).toBe(false);
  expect(sent[0]!.encoding).toBeUndefined();
  expect(sent[0]!.body.equals(Buffer.concat(BLOCK.parts))).toBe(true);
});

test('gzip compresses what is sent', async () => {
  const warehouse = warehouseAt(here(), { compression: 'gzip' });
  await warehouse.insert('t', BLOCK);
  await warehouse.close();
  expect(sent[0]!.encoding).toBe('gzip');
  expect(gunzipSync(sent[0]!.body).equals(Buffer.concat(BLOCK.parts))).toBe(true);
});

test('a server takes compressed inserts and look-ups', async () => {
  const clickhouse = await ClickHouseHttp.start();
  const warehouse = warehouseAt(clickhouse.url, { compression: 'gzip' });
  await warehouse.execute('CREATE DATABASE custom_data');
  await warehouse.execute('CREATE TABLE custom_data.t (n UInt32) ENGINE = MergeTree ORDER BY n');
  await warehouse.insert('t', BLOCK);
  const asked = blockOf([column('n', UINT32, [2, 9])], 2);
  expect(
    await warehouse.lookUp('SELECT n FROM custom_data.t WHERE n IN (SELECT n FROM asked)', asked),
  ).toEqual([{ n: 2 }]);
  await warehouse.close();
  await clickhouse.stop();
});

test('numbers are answered in one form, whatever a profile sets', async () => {
  const clickhouse = await ClickHouseHttp.start();
  const profile = new URLSearchParams({
    ch_output_format_json_quote_64bit_integers: '0',
    ch_output_format_json_quote_64bit_floats: '1',
  });
  const warehouse = warehouseAt(`${clickhouse.url}/?${profile.toString()}`);
  const numbers = await warehouse.query('SELECT toUInt64(5) AS whole, toFloat64(5) AS floating');
  expect(numbers).toEqual([{ whole: '5', floating: 5 }]);
  await warehouse.close();
  await clickhouse.stop();
});
