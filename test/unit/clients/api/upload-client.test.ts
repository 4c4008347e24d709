import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, expect, jest, test } from '@jest/globals';

import { NetworkError, UploadClient } from '../../../../src/clients/api/index.js';

afterEach(() => {
  jest.restoreAllMocks();
});

const clientWith = (token: string): UploadClient =>
  new UploadClient({ baseUrl: 'http://uploads.example.com', token, retryForMs: 0 });

test('a token or a key that no header can hold is refused at once', async () => {
  const fetched = jest.spyOn(globalThis, 'fetch');
  const wrongToken = clientWith('tökén–').read('cost', 'x');
  await expect(wrongToken).rejects.not.toBeInstanceOf(NetworkError);
  const wrongKey = clientWith('t').create('cost', Buffer.from('x'), { idempotencyKey: '–' });
  await expect(wrongKey).rejects.not.toBeInstanceOf(NetworkError);
  expect(fetched).not.toHaveBeenCalled();
});

test('an answer that is not JSON, as of a login page, is a network error', async () => {
  jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response('<p>')));
  const error = await clientWith('t')
    .read('cost', 'x')
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(NetworkError);
  expect((error as Error).message).toBe(
    'uploads.example.com answered with something that is not JSON',
  );
});

test('a redirect is not followed: the address is to be corrected', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(308, { Location: 'https://uploads.example.com/' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new UploadClient({ baseUrl: `http://127.0.0.1:${port}`, token: 't' });
  await expect(client.read('cost', 'x')).rejects.toThrow(
    '308 Permanent Redirect: the service is at another address, https://uploads.example.com/',
  );
  server.close();
});
