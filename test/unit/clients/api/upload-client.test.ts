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
