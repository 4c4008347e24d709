import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { expect, test } from '@jest/globals';

import { Unpacker } from '../../../../../src/gateway/create/receive/unpacker.js';

const MIB = 1024 * 1024;
const isNode20 = !('transfer' in ArrayBuffer.prototype);

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('what is unpacked is freed as soon as it was passed on', async () => {
  const file = Buffer.from('2026-11-28,Search,Visits,1\n'.repeat(2_000_000));
  const packed = gzipSync(file, { level: 1 });
  const digest = createHash('sha256');
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const unpacker = new Unpacker(file.length, async (bytes) => {
    // Also after others have had their turn.
    await new Promise(setImmediate);
    digest.update(bytes);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  });
  for (let from = 0; from < packed.length; from += 100_000) {
    await unpacker.write(packed.subarray(from, from + 100_000));
  }
  await unpacker.end();
  expect(unpacker.finding).toBeNull();
  expect(digest.digest('hex')).toBe(digestOf(file));
  // 30 MB otherwise.
  if (!isNode20) expect(most).toBeLessThan(2 * MIB);
});
