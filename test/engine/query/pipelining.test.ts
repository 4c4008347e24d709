import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { openQueryServer, type TestQueryServer } from './query-server-fixture.js';

const LONG = 'SELECT count() FROM system.numbers WHERE NOT ignore(number)';
/** Takes longer than a client's time limit for the other. */
const FINITE = 'SELECT count() FROM numbers(4000000000) WHERE NOT ignore(number)';
const ENDLESS = 'SELECT * FROM system.numbers';

let server: TestQueryServer;
beforeAll(async () => {
  server = await openQueryServer({ queryConcurrency: 2, queryTimeoutMs: 60_000 });
});
afterAll(async () => {
  await server.close();
});

function asked(query: string, seconds: number, version = '1.1'): string {
  const search = new URLSearchParams({ query, max_execution_time: String(seconds) }).toString();
  return `GET /?${search} HTTP/${version}\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n`;
}

function underway(): number {
  const query = 'SELECT count() - 1 FROM system.processes';
  return Number(server.writer.query(query, 'TSV'));
}

async function until(count: number): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (underway() !== count) {
    if (Date.now() > deadline) throw new Error('it did not happen in time');
    await sleep(20);
  }
}

test('a client that leaves also stops the query behind another one', async () => {
  const socket = connect(server.port, '127.0.0.1');
  socket.write(asked(LONG, 30) + asked(ENDLESS, 30));
  await until(2);
  socket.destroy();
  await until(0);
});

test.each(['1.0', '1.1'])(
  'a result that breaks off before its turn ends HTTP/%s',
  async (version) => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(asked(FINITE, 60, version) + asked(ENDLESS, 0.1, version));
    let answered = '';
    socket.setEncoding('latin1').on('data', (text: string) => (answered += text));
    const closed = once(socket, 'close');
    const ended = await Promise.race([closed.then(() => true), sleep(20_000, false)]);
    socket.destroy();
    expect(ended).toBe(true);
    // The first answer, whole, and nothing of the second.
    expect(answered.split('HTTP/1.1 200')).toHaveLength(2);
    expect(answered).toMatch(/\n4000000000\n$/);
  },
);
