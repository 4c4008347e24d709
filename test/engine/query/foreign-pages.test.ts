import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { openQueryServer, type TestQueryServer } from './query-server-fixture.js';

let server: TestQueryServer;
beforeAll(async () => {
  server = await openQueryServer();
});
afterAll(() => server.close());

/** Sends a request as a browser does. Returns its status and body. */
async function visit(path: string, headers: Readonly<Record<string, string>>) {
  const sent = request(server.url + path, { headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  return [response.statusCode, await text(response)];
}

const QUERY = `/?query=${encodeURIComponent('SELECT count() FROM t')}`;

test('a page that lets its own name point here reads nothing', async () => {
  expect(await visit(QUERY, { host: `localhost:${server.port}` })).toEqual([200, '100000\n']);
  for (const path of [QUERY, '/', '/ping', '/nothing']) {
    const [status, body] = await visit(path, { host: `evil.example:${server.port}` });
    expect([path, status]).toEqual([path, 403]);
    expect(body).toBe('The host must be 127.0.0.1, localhost or [::1].\n');
  }
});

test('nor does one that makes a script of the answer', async () => {
  const [status] = await visit(QUERY, {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-dest': 'script',
  });
  expect(status).toBe(403);
});

test('nor one who says no host at all', async () => {
  const socket = connect(server.port, '127.0.0.1');
  socket.write(`GET ${QUERY} HTTP/1.0\r\n\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /);
});
