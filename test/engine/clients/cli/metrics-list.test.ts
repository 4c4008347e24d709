import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { outcomeOf } from '../../../support/service/outcome.js';

/** Stands in for ClickHouse's HTTP interface: records the request and returns `answer`. */
let server: Server;
let port: string;
let asked: { readonly url: URL; readonly request: IncomingMessage; readonly body: string }[];
let answer: { readonly status: number; readonly body: string; readonly code?: number };

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const body = Buffer.concat(chunks as Buffer[]).toString();
      asked.push({ url: new URL(request.url ?? '', 'http://x'), request, body });
      if (answer.code !== undefined) response.setHeader('X-ClickHouse-Exception-Code', answer.code);
      response.writeHead(answer.status).end(answer.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = String((server.address() as AddressInfo).port);
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const row = {
  account: 'acme',
  name: 'signups',
  firstSeen: '2026-01-01 00:00:00',
  lastSeen: '2026-02-01 00:00:00',
};

test('metrics are listed in columns, archived ones marked', async () => {
  const rows = [
    { ...row, archived: false },
    { ...row, name: 'old', archived: true },
  ];
  answer = { status: 200, body: rows.map((r) => `${JSON.stringify(r)}\n`).join('') };
  const { code, out } = await outcomeOf({ QUERY_PORT: port }, 'metrics', 'list');
  expect(code).toBe(0);
  expect(out).toBe(
    'ACCOUNT  NAME     FIRST SEEN           LAST SEEN            ARCHIVED\n' +
      'acme     signups  2026-01-01 00:00:00  2026-02-01 00:00:00  -\n' +
      'acme     old      2026-01-01 00:00:00  2026-02-01 00:00:00  yes\n',
  );
});

test('an account goes in as a parameter, not as text', async () => {
  answer = { status: 200, body: '' };
  await outcomeOf({ QUERY_PORT: port }, 'metrics', 'list', '--account', 'acme');
  expect(asked[0]?.url.searchParams.get('param_account')).toBe('acme');
  expect(asked[0]?.body).toContain('{account:String}');
  expect(asked[0]?.body).not.toContain('acme');
});

test('a server is asked in place of the embedded warehouse, with its credentials in a header', async () => {
  answer = { status: 200, body: '' };
  const env = { CLICKHOUSE_URL: `http://me:p%40ss@127.0.0.1:${port}` };
  expect((await outcomeOf(env, 'metrics', 'list')).code).toBe(0);
  const credentials = Buffer.from('me:p@ss').toString('base64');
  expect(asked[0]?.request.headers.authorization).toBe(`Basic ${credentials}`);
  expect(asked[0]?.url.href).not.toContain('p%40ss');
});

describe('no answer ends with an error of one line', () => {
  test('when the query is refused', async () => {
    answer = { status: 500, body: 'Code: 60. DB::Exception: no such table\n(version 26)' };
    const { code, err } = await outcomeOf({ QUERY_PORT: port }, 'metrics', 'list');
    expect(code).toBe(1);
    expect(err).toBe(
      'error: the query was answered with 500: Code: 60. DB::Exception: no such table\n',
    );
  });

  test('when the service has too many queries, and may have fewer later', async () => {
    answer = { status: 500, body: 'Code: 202. DB::Exception: too many', code: 202 };
    expect((await outcomeOf({ QUERY_PORT: port }, 'metrics', 'list')).code).toBe(3);
  });

  test('when nothing listens', async () => {
    server.close();
    const { code, err } = await outcomeOf({ QUERY_PORT: port }, 'metrics', 'list');
    expect([code, err]).toEqual([
      3,
      `error: nothing answers queries at 127.0.0.1:${port}; is the service running?\n`,
    ]);
  });

  test.each([
    ['', 'QUERY_PORT is empty'],
    ['0', 'QUERY_PORT is 0'],
  ])('when QUERY_PORT is %j', async (QUERY_PORT, message) => {
    const { code, err } = await outcomeOf({ QUERY_PORT }, 'metrics', 'list');
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
