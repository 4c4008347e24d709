import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { form, uploadHeaders } from '../../../support/gateway/forms.js';
import {
  eventually,
  startGateway,
  storedUpload,
  type Gateway,
} from '../../../support/gateway/gateway.js';
import { RawClient } from '../../../support/gateway/raw-client.js';

const CREATE = 'POST /custom-data-upload/v1.0/cost/requests/';
const READ = 'GET /custom-data-upload/v1.0/cost/requests/01a1fbda-f483-7a98-aef9-d3cd461cb82d';
const body = form({ content: Buffer.alloc(400_000, 'a,b\n') });
const headers = { ...uploadHeaders(), 'Content-Length': String(body.length) };

let gateway: Gateway;
const clients: RawClient[] = [];
const connect = async (): Promise<RawClient> => {
  const client = await RawClient.connect(gateway.port);
  clients.push(client);
  return client;
};
beforeEach(async () => {
  gateway = await startGateway({ shutdownMs: 1_000 });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await gateway.close();
});

async function beginUpload(): Promise<RawClient> {
  const client = await connect();
  client.head(CREATE, headers);
  await client.send(body.subarray(0, 300_000));
  await eventually(() => storedUpload(gateway.log).chunks.length > 0);
  return client;
}

test('an upload in flight is finished; new ones are refused meanwhile, reads are answered', async () => {
  const uploading = await beginUpload();
  const [creating, reading] = [await connect(), await connect()];
  const closed = gateway.close();
  creating.head(CREATE, { ...headers, Expect: '100-continue' });
  reading.head(READ, uploadHeaders());
  expect(await creating.answer()).toMatchObject({ status: 503, headers: { connection: 'close' } });
  expect((await reading.answer()).status).toBe(404);
  await uploading.send(body.subarray(300_000));
  expect((await uploading.answer()).status).toBe(201);
  await closed;
  expect(storedUpload(gateway.log).end).toBeDefined();
});

test('idle and silent connections do not delay the end', async () => {
  const [idle, silent, halfHead] = [await connect(), await connect(), await connect()];
  idle.head(READ, uploadHeaders());
  expect((await idle.answer()).status).toBe(404);
  halfHead.socket.write('GET / HT');
  await new Promise((resolve) => setTimeout(resolve, 30));
  const startedAt = performance.now();
  await gateway.close();
  expect(performance.now() - startedAt).toBeLessThan(900);
  await eventually(() => idle.isClosed && silent.isClosed && halfHead.isClosed);
});

test('an upload that does not end is cut at the shutdown deadline and taken back', async () => {
  const uploading = await beginUpload();
  const startedAt = performance.now();
  await gateway.close();
  expect(performance.now() - startedAt).toBeGreaterThan(950);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await eventually(() => uploading.isClosed);
  expect(storedUpload(gateway.log)).toMatchObject({ aborts: 1, end: undefined });
});
