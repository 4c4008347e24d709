import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';

import { ReadOnlySessions } from '../../../src/query/sessions.js';
import { ask, openQueryServer, type TestQueryServer } from './query-server-fixture.js';
import { until } from '../../support/until.js';

const ENDLESS = 'SELECT number, repeat(toString(number), 5) FROM numbers(1000000000000)';

const COMPUTING = 'SELECT count() FROM numbers(1000000000000) WHERE number % 7 = 3';

/** Sends a query. The test reads the body of the answer itself. */
async function open(
  url: string,
  query: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  const request = get(`${url}/?${new URLSearchParams({ ...parameters, query }).toString()}`);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

/** Counts the statements that the engine runs, besides the one that asks. */
function underway(server: TestQueryServer): number {
  const query = "SELECT count() - 1 FROM system.processes WHERE query NOT ILIKE 'INSERT%'";
  return Number(server.writer.query(query, 'TSV'));
}

describe('a result', () => {
  let server: TestQueryServer;
  beforeAll(async () => {
    server = await openQueryServer({ queryConcurrency: 2, queryTimeoutMs: 6_000 });
  });
  afterAll(async () => {
    await server.close();
  });

  test('is sent while it is made, and no faster than it is read', async () => {
    const started = Date.now();
    const response = await open(server.url, ENDLESS);
    await once(response, 'readable');
    expect(Date.now() - started).toBeLessThan(5_000);
    const memory = process.memoryUsage().rss;
    await sleep(1_000);
    expect(process.memoryUsage().rss - memory).toBeLessThan(128 * 1024 * 1024);
    expect(underway(server)).toBe(1);
    response.destroy();
    await until(() => underway(server) === 0);
  });

  test('a client that leaves stops the query, whatever it does', async () => {
    for (const query of [COMPUTING, `${ENDLESS} ORDER BY number % 3`]) {
      const request = get(`${server.url}/?query=${encodeURIComponent(query)}`);
      request.on('error', () => undefined);
      await until(() => underway(server) === 1);
      request.destroy();
      await until(() => underway(server) === 0);
    }
    expect((await ask(server.url, 'SELECT 1')).text).toBe('1\n');
  });

  test('what clients left in its first moments is gone while another query goes on', async () => {
    const other = await open(server.url, ENDLESS);
    for (let visit = 0; visit < 24; visit++) {
      const request = get(`${server.url}/?query=${encodeURIComponent(COMPUTING)}`);
      request.on('error', () => undefined);
      await once(request, 'finish');
      await sleep(visit);
      request.destroy();
    }
    // It waits in line behind all of them.
    expect((await ask(server.url, 'SELECT 1')).text).toBe('1\n');
    await until(() => underway(server) === 1);
    await sleep(200);
    expect(underway(server)).toBe(1);
    other.destroy();
    await until(() => underway(server) === 0);
  });

  test('clients that leave at any moment leave nothing behind', async () => {
    const queries = ['SELECT 1', 'SELECT * FROM t', ENDLESS, COMPUTING, 'SELEC'];
    const visits = Array.from({ length: 60 }, async (_, index) => {
      const query = encodeURIComponent(queries[index % queries.length]!);
      const request = get(`${server.url}/?query=${query}`, { agent: false }, (response) => {
        response.on('error', () => undefined).resume();
      });
      request.on('error', () => undefined);
      await sleep(20 * index + (index % 7) * 15);
      request.destroy();
    });
    await Promise.all(visits);
    await until(() => underway(server) === 0);
    const free = [ask(server.url, 'SELECT 1'), ask(server.url, 'SELECT 1')];
    expect((await Promise.all(free)).map(({ text }) => text)).toEqual(['1\n', '1\n']);
  });

  test('an error in its middle breaks the connection and is told', async () => {
    const query = "SELECT throwIf(number = 3000000, 'too far') FROM numbers(10000000)";
    const response = await open(server.url, query);
    expect(response.statusCode).toBe(200);
    const parts: Buffer[] = [];
    const read = (async () => {
      for await (const part of response as AsyncIterable<Buffer>) parts.push(part);
    })();
    await expect(read).rejects.toThrow('aborted');
    const tag = String(response.headers['x-clickhouse-exception-tag']);
    const text = Buffer.concat(parts).subarray(-400).toString();
    expect(text).toContain(`\r\n__exception__\r\n${tag}\r\nCode: 395. DB::Exception: too far`);
    expect(text.endsWith(` ${tag}\r\n__exception__\r\n`)).toBe(true);
  });

  test('an error in its middle resets a connection whose end would end the body', async () => {
    const query = encodeURIComponent('SELECT throwIf(number = 3000000) FROM numbers(10000000)');
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`GET /?query=${query} HTTP/1.0\r\nHost: localhost\r\n\r\n`);
    await expect(buffer(socket)).rejects.toThrow('ECONNRESET');
  });

  test('one that has ended, and is read too slowly, is cut off without a text', async () => {
    const parameters = { wait_end_of_query: '1', max_execution_time: '1' };
    const response = await open(server.url, 'SELECT * FROM numbers(1100000)', parameters);
    await sleep(2_500);
    const parts: Buffer[] = [];
    const read = (async () => {
      for await (const part of response as AsyncIterable<Buffer>) parts.push(part);
    })();
    await expect(read).rejects.toThrow('aborted');
    expect(Number(response.headers['content-length'])).toBeGreaterThan(7_000_000);
    const rows = Buffer.concat(parts).toString().split('\n').slice(0, -1);
    expect(rows).toEqual(rows.map((_, index) => String(index)));
  });

  test('an error in a small one, or in one that the client waits for, has its own status', async () => {
    const query = 'SELECT throwIf(number = 100000) FROM numbers(200000)';
    const small = await ask(server.url, 'SELECT number, throwIf(number = 5) FROM numbers(10)');
    expect(small.status).toBe(500);
    const waited = await ask(server.url, query, { wait_end_of_query: '1', max_block_size: '1000' });
    expect(waited.status).toBe(500);
    expect(waited.text).toMatch(/^Code: 395/);
  });

  test('ends in time, also when nobody reads it', async () => {
    const computed = ask(server.url, COMPUTING);
    const unread = await open(server.url, ENDLESS);
    await until(() => underway(server) === 2);
    const late = await computed;
    expect([late.status, late.headers.get('x-clickhouse-exception-code')]).toEqual([408, '159']);
    await until(() => underway(server) === 0);
    await expect(
      (async () => {
        for await (const part of unread) expect(part).toBeTruthy();
      })(),
    ).rejects.toThrow('aborted');

    const shorter = Date.now();
    const asked = await ask(server.url, COMPUTING, { max_execution_time: '0.5' });
    expect(asked.status).toBe(408);
    expect(Date.now() - shorter).toBeLessThan(5_000);
  });

  test('its analysis does not hold up the process', async () => {
    let longest = 0;
    let last = performance.now();
    const ticks = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }, 10);
    const scalar = 'SELECT (SELECT count() FROM numbers(1000000000) WHERE number % 7 = 3)';
    expect((await ask(server.url, scalar)).status).toBe(200);
    clearInterval(ticks);
    expect(longest).toBeLessThan(750);
  });

  test('more queries than may run wait in line, and too many are refused', async () => {
    const started = Date.now();
    const few = await Promise.all(
      Array.from({ length: 6 }, () => ask(server.url, COMPUTING, { max_execution_time: '0.3' })),
    );
    expect(few.map(({ status }) => status)).toEqual(Array<number>(6).fill(408));
    expect(Date.now() - started).toBeGreaterThan(850);

    const leaving = new AbortController();
    const codes: (string | null)[] = [];
    const many = Array.from({ length: 70 }, async () => {
      const url = `${server.url}/?max_execution_time=5&query=${encodeURIComponent(COMPUTING)}`;
      const response = await fetch(url, { signal: leaving.signal });
      codes.push(response.headers.get('x-clickhouse-exception-code'));
    });
    await until(() => codes.length === 70 - 2 - 64);
    expect(new Set(codes)).toEqual(new Set(['202']));
    leaving.abort();
    await Promise.allSettled(many);
    await until(() => underway(server) === 0);
    expect((await ask(server.url, 'SELECT 1')).text).toBe('1\n');
  });

  test('writing goes on beside a reader who does not read', async () => {
    const response = await open(server.url, ENDLESS);
    const started = Date.now();
    await server.writer.queryAsync("INSERT INTO custom_data.t VALUES (1, 'a', '2024-01-01')");
    expect(Date.now() - started).toBeLessThan(5_000);
    response.destroy();
    await until(() => underway(server) === 0);
  });
});

test('closing stops what runs', async () => {
  const server = await openQueryServer();
  const response = await open(server.url, ENDLESS);
  const waiting = ask(server.url, COMPUTING);
  const ended = Promise.allSettled([waiting, once(response.resume(), 'end')]);
  await until(() => underway(server) === 2);
  const started = Date.now();
  await server.close();
  expect(Date.now() - started).toBeLessThan(15_000);
  expect((await ended)[1].status).toBe('rejected');
});

test('closing does not wait for ever for what cannot be stopped', async () => {
  const server = await openQueryServer();
  const use = jest.spyOn(ReadOnlySessions.prototype, 'use');
  use.mockReturnValueOnce(new Promise(() => undefined));
  const asked = ask(server.url, 'SELECT 1');
  const ended = Promise.allSettled([asked]);
  await until(() => use.mock.calls.length > 0);
  use.mockRestore();
  await server.close();
  expect((await ended)[0].status).toBe('rejected');
}, 15_000);
