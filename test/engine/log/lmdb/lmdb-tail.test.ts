import { afterEach, expect, test } from '@jest/globals';

import { LmdbTail } from '../../../../src/log/lmdb/lmdb-tail.js';
import type {
  PartitionReader,
  PartitionSource,
} from '../../../../src/log/lmdb/partition-reader.js';
import { LogUnavailableError, type LogRecord } from '../../../../src/log/upload-log.js';

/** One record. The first `failures` reads of it fail. */
class Source implements PartitionSource {
  constructor(private failures: number) {}

  end(): number {
    return 1;
  }

  read(): LogRecord[] {
    if (this.failures-- > 0) throw new Error('MDB_READERS_FULL');
    const position = { partition: 0, offset: 0, timestamp: 0 };
    return [{ ...position, key: '', headers: {}, value: Buffer.from('a') }];
  }
}

let tail: LmdbTail;
afterEach(() => tail.stop());
const seen: LogRecord[] = [];
const run = (reader: PartitionReader): Promise<void> => reader.run();

test('a tail goes on when the log can be read again', async () => {
  tail = new LmdbTail([new Source(3)], [0], run, (records) => seen.push(...records));
  await tail.reached([1], 4_000);
  expect(seen).toHaveLength(1);
});

test('a tail says that it cannot go on when the log stays unreadable', async () => {
  tail = new LmdbTail([new Source(Infinity)], [0], run, () => undefined);
  const reached = expect(tail.reached([1], 60_000)).rejects.toThrow(LogUnavailableError);
  await expect(tail.failed).rejects.toThrow('MDB_READERS_FULL');
  await reached;
});

test('a tail says at once that it cannot go on when its records cannot be taken', async () => {
  tail = new LmdbTail([new Source(0)], [0], run, () => {
    throw new TypeError('not a transition');
  });
  await expect(tail.failed).rejects.toThrow(TypeError);
  await expect(tail.reached([1], 60_000)).rejects.toThrow('cannot go on');
});
