import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import {
  readFilePart,
  SlowClientTimer,
} from '../../../../../src/gateway/create/receive/file-part.js';
import { ClientGoneError } from '../../../../../src/gateway/http/problem.js';
import { form, uploadHeaders } from '../../../../support/gateway/forms.js';
import { eventually } from '../../../../support/gateway/gateway.js';
import { httpChunk, RawClient } from '../../../../support/gateway/raw-client.js';

const server = createServer();
let timer: SlowClientTimer;
let client: RawClient;
beforeEach(async () => {
  timer = new SlowClientTimer(60_000, () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = await RawClient.connect((server.address() as AddressInfo).port);
});
afterEach(() => {
  timer.stop();
  client.destroy();
  server.close();
});

test.each(['ends', 'resets'])(
  'a client that sends all while it is held back, and then %s the connection, is noticed at once',
  async (how) => {
    client.head('POST /', { ...uploadHeaders(), 'Transfer-Encoding': 'chunked' });
    const [request] = (await once(server, 'request')) as [IncomingMessage];
    const hold = jest.spyOn(timer, 'hold');
    const never = new Promise<void>(() => undefined);
    const reading = readFilePart(request, new AbortController().signal, timer, () => never);
    const outcome = reading.catch((error: unknown) => error);
    const body = form({ content: Buffer.alloc(500_000, 'x') });
    let sent = 0;
    while (hold.mock.calls.length === 0) {
      await client.send(httpChunk(body.subarray(sent, (sent += 10_000))));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await client.send(Buffer.concat([httpChunk(body.subarray(-100)), Buffer.from('0\r\n\r\n')]));
    await eventually(() => request.complete);
    if (how === 'ends') client.destroy();
    else client.socket.resetAndDestroy();
    expect(await outcome).toBeInstanceOf(ClientGoneError);
  },
);
