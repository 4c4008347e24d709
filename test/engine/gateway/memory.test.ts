import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from '@jest/globals';
import { heapUsed } from '../../helpers/heap-used.js';
import { form, uploadHeaders } from '../../helpers/gateway/forms.js';
import { eventually, startGateway, type Gateway } from '../../helpers/gateway/gateway.js';
import { MemoryLog } from '../../helpers/gateway/memory-log.js';
import { RawClient } from '../../helpers/gateway/raw-client.js';

const MIB = 1024 * 1024;
const UPLOADS = 64;

let gateway: Gateway;
const clients: RawClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await gateway.close();
});

const line = '2026-01-01,channel,event,1.5,campaign\n';
test.each([
  ['1 MiB', Buffer.alloc(MIB, line)],
  ['gzip that unpacks to 32 MiB', gzipSync(Buffer.alloc(32 * MIB, line))],
])(
  '64 uploads of %s against a stalled log hold a bounded memory',
  async (_what, content) => {
    gateway = await startGateway(
      { logTimeoutMs: 90_000, uploadDeadlineMs: 120_000 },
      { log: new MemoryLog(4, false) },
    );
    gateway.log.stall();
    const body = form({ content });
    heapUsed();
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < UPLOADS; i++) {
      const client = await RawClient.connect(gateway.port);
      clients.push(client);
      client.head('POST /custom-data-upload/v1.0/self-serve/requests/', {
        ...uploadHeaders(),
        'Content-Length': String(body.length),
      });
      void client.send(body, 30_000);
    }
    await eventually(() => gateway.log.unacknowledged === 3 * UPLOADS, 80_000);
    let grown = Infinity;
    // What was unpacked and copied on is garbage, and not held.
    for (let look = 0; look < 5; look++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      heapUsed();
      grown = Math.min(grown, process.memoryUsage().arrayBuffers - before);
    }
    expect(grown).toBeLessThan(60 * MIB);

    gateway.log.resume();
    const answers = await Promise.all(clients.map((client) => client.answer(90_000)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  },
  150_000,
);
