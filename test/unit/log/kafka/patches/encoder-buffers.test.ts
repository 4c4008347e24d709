import { expect, jest, test } from '@jest/globals';
import Encoder from 'kafkajs/src/protocol/encoder.js';

import { mendEncoderBuffers } from '../../../../../src/log/kafka/patches/encoder-buffers.js';

const RECORD_BYTES = 128 * 1024;
const RECORDS = 8;

/** Encodes the records of a batch as kafkajs does. */
function encode(): Buffer {
  const records = Array.from({ length: RECORDS }, (_, i) =>
    new Encoder().writeBuffer(Buffer.alloc(RECORD_BYTES, i)).writeBuffer(Buffer.from(`end ${i}`)),
  );
  return new Encoder().writeEncoderArray(records).buffer;
}

/** Returns the bytes of the buffers that `work` allocates, in both ways that kafkajs uses. */
function allocatedBy(work: () => void): number {
  const spies = [jest.spyOn(Buffer, 'alloc'), jest.spyOn(Buffer, 'allocUnsafe')];
  work();
  const sizes = spies.flatMap(({ mock }) => mock.calls.map(([size]) => size));
  for (const spy of spies) spy.mockRestore();
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('what is sent is the same, in less than half of the memory', () => {
  const before = encode();
  const allocatedBefore = allocatedBy(encode);
  mendEncoderBuffers();
  const after = encode();
  const allocated = allocatedBy(encode);
  expect(after.equals(before)).toBe(true);
  // The contents, a buffer for each record, and a buffer for all records.
  expect(allocated).toBeLessThan(3.1 * RECORDS * RECORD_BYTES);
  expect(allocated).toBeLessThan(allocatedBefore / 2);
});
