import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import { Assembler } from '../../../../src/ingest/assemble/assembler.js';
import type { CompleteUpload } from '../../../../src/ingest/upload-in-flight.js';
import { Watermark } from '../../../../src/ingest/watermark/owned-partition.js';
import {
  type LogRecord,
  LogUnavailableError,
  type UploadLog,
} from '../../../../src/log/upload-log.js';
import { MemoryFiles } from '../../../support/disk/memory-files.js';
import { Partition } from './partition.js';
import { openStore, SpillFolder } from './spill-folder.js';

const DROP_AFTER_MS = 60_000;

let folder: SpillFolder;
let partition: Partition;
let watermark: Watermark;
let assembler: Assembler;

beforeEach(async () => {
  folder = await SpillFolder.create();
  partition = new Partition();
  watermark = new Watermark(0);
  // Little memory, so that uploads are assembled from files and from memory.
  const store = await openStore(folder, 10);
  assembler = new Assembler(partition.log, store, watermark, DROP_AFTER_MS);
});
afterEach(() => folder.remove());

/** Returns the uploads that the records complete, as text by request. */
async function take(...records: LogRecord[]): Promise<Record<string, string | undefined>> {
  const complete: CompleteUpload[] = [];
  for (const record of records) {
    const upload = await assembler.take(record);
    if (upload !== undefined) complete.push(upload);
  }
  return Object.fromEntries(
    complete.map(({ requestId, parts }) => [requestId, parts && Buffer.concat(parts).toString()]),
  );
}

describe('an upload is put together', () => {
  test('from its chunks, by their sequence numbers, whatever their order', async () => {
    const first = partition.chunk('a', 2, 'three');
    const rest = [partition.chunk('a', 0, 'one,'), partition.chunk('a', 1, 'two,')];
    expect(await take(first, ...rest, partition.finish('a', 3, 0))).toEqual({ a: 'one,two,three' });
    expect(await folder.files()).toEqual([]);
  });

  test('with what its records say of it', async () => {
    await take(partition.chunk('a', 0, 'x'));
    const last = partition.finish('a', 1, 0, 1);
    expect(await assembler.take(last)).toEqual({
      requestId: 'a',
      account: 'account of a',
      family: 'cost',
      end: JSON.parse(last.value.toString()) as unknown,
      partition: 3,
      endOffset: 1,
      parts: [Buffer.from('x')],
    });
  });

  test('though others interleave with it', async () => {
    const records = [
      partition.chunk('a', 0, 'a0'),
      partition.chunk('b', 0, 'b0'),
      partition.chunk('a', 1, 'a1'),
      partition.chunk('b', 1, 'b1'),
      partition.finish('b', 2, 1),
      partition.finish('a', 2, 0),
    ];
    expect(await take(...records)).toEqual({ a: 'a0a1', b: 'b0b1' });
  });

  test('once, when its records are there more than once', async () => {
    const records = [
      partition.chunk('a', 0, 'a0'),
      partition.chunk('a', 0, 'a0'),
      partition.chunk('a', 1, 'a1'),
      partition.chunk('a', 0, 'a0'),
    ];
    expect(await take(...records, partition.finish('a', 2, 0))).toEqual({ a: 'a0a1' });
    expect(await take(partition.finish('a', 2, 0), partition.chunk('a', 1, 'a1'))).toEqual({});
  });

  test('from no chunks, when the file is empty', async () => {
    expect(await take(partition.finish('a', 0, null))).toEqual({ a: '' });
  });

  test('from the log, when the consumer began behind its chunks', async () => {
    partition.chunk('b', 0, 'b0');
    const first = partition.chunk('a', 0, 'a0');
    partition.chunk('b', 1, 'b1');
    const second = partition.chunk('a', 1, 'a1');
    const seen = partition.chunk('a', 2, 'a2');
    const last = partition.finish('a', 3, first.offset);
    expect(await take(last)).toEqual({ a: 'a0a1a2' });

    const other = partition.finish('b', 2, 0);
    expect(await take(other)).toEqual({ b: 'b0b1' });
    expect([second.offset, seen.offset]).toEqual([3, 4]);
  });

  test('from the log, when the consumer began between its one chunk and its end', async () => {
    partition.chunk('b', 0, 'b0');
    partition.chunk('a', 0, 'a0');
    expect(await take(partition.finish('a', 1, null))).toEqual({ a: 'a0' });
  });

  test('from the log, when the consumer began amid its chunks', async () => {
    partition.chunk('a', 0, 'a0');
    const seen = partition.chunk('a', 1, 'a1');
    expect(await take(seen, partition.finish('a', 2, 0))).toEqual({ a: 'a0a1' });
    expect(await folder.files()).toEqual([]);
  });

  test('from the log, when the disk had no room for a chunk, though its end lies far behind', async () => {
    const files = new MemoryFiles();
    files.roomBytes = 0;
    const store = await openStore(folder, 10, files);
    assembler = new Assembler(partition.log, store, watermark, DROP_AFTER_MS);
    const chunks = ['a', 'b', 'c'].flatMap((id) => [
      partition.chunk(id, 0, id.repeat(8)),
      partition.chunk(id, 1, id),
    ]);
    const ends = ['b', 'a', 'c'].map((id) => partition.finish(id, 2, 0));
    expect(await take(...chunks, ...ends)).toEqual({
      a: 'aaaaaaaaa',
      b: 'bbbbbbbbb',
      c: 'ccccccccc',
    });
    expect(files.paths).toEqual([]);
  });

  test('without bytes, when its chunks are no longer in the log', async () => {
    partition.chunk('a', 0, 'a0');
    const seen = partition.chunk('a', 1, 'a1');
    partition.firstKept = 1;
    expect(await take(seen, partition.finish('a', 2, 0))).toEqual({ a: undefined });
    expect(await folder.files()).toEqual([]);
  });
});

describe('an upload that ended', () => {
  test('by abort is nobody’s, and holds nothing', async () => {
    const records = [partition.chunk('a', 0, 'x'.repeat(50)), partition.abort('a')];
    expect(await take(...records)).toEqual({});
    expect(watermark.value).toBe(2);
    expect(await folder.files()).toEqual([]);
  });

  test.each(['end', 'abort'])('by %s is not opened again by a late chunk', async (how) => {
    await take(partition.chunk('a', 0, 'x'));
    await take(how === 'end' ? partition.finish('a', 1, 0) : partition.abort('a'));
    watermark.release('a');
    await take(partition.chunk('a', 0, 'x'));
    expect(watermark.value).toBe(3);
    expect(await folder.files()).toEqual([]);
  });

  test('holds the watermark at its first record until it is released', async () => {
    await take(partition.chunk('b', 0, 'b'), partition.abort('b'));
    await take(partition.chunk('a', 0, 'a'), partition.finish('a', 1, 2), partition.abort('c'));
    expect(watermark.value).toBe(2);
    watermark.release('a');
    expect(watermark.value).toBe(5);
  });
});

describe('an upload without an end', () => {
  test('holds the watermark and is kept, however long the clock runs', async () => {
    await take(partition.chunk('a', 0, 'x'));
    partition.now += DROP_AFTER_MS;
    await take(partition.abort('b'));
    expect(watermark.value).toBe(0);
    expect(await take(partition.finish('a', 1, 0))).toEqual({ a: 'x' });
  });

  test('is dropped once the partition’s own times have moved on', async () => {
    await take(partition.chunk('a', 0, 'x'.repeat(50)));
    expect(await folder.files()).toHaveLength(1);
    partition.now += DROP_AFTER_MS + 1;
    await take(partition.abort('b'));
    expect(watermark.value).toBe(2);
    expect(await folder.files()).toEqual([]);
  });

  test('is dropped by the time of its first chunk, not of its latest', async () => {
    await take(partition.chunk('a', 0, 'x'));
    partition.now += DROP_AFTER_MS;
    await take(partition.chunk('a', 1, 'y'));
    partition.now += 1;
    await take(partition.abort('b'));
    expect(watermark.value).toBe(3);
  });

  test('is dropped alone: one that began later stays', async () => {
    await take(partition.chunk('a', 0, 'a'));
    partition.now += DROP_AFTER_MS;
    await take(partition.chunk('b', 0, 'b'));
    partition.now += 1;
    await take(partition.abort('c'));
    expect(watermark.value).toBe(1);
    expect(await take(partition.finish('b', 1, 1))).toEqual({ b: 'b' });
  });

  test('is read again from its first chunk when its end comes after all', async () => {
    await take(partition.chunk('a', 0, 'a0'), partition.chunk('a', 1, 'a1'));
    partition.now += DROP_AFTER_MS + 1;
    await take(partition.chunk('b', 0, 'b0'));
    const late = partition.chunk('a', 2, 'a2');
    expect(await take(late, partition.finish('a', 3, 0))).toEqual({ a: 'a0a1a2' });
  });
});

describe('an upload without an end, in a partition that gets no further record', () => {
  let clock = 0;
  beforeEach(() => {
    clock = 5_000;
    jest.spyOn(performance, 'now').mockImplementation(() => clock);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Reports `end` as the end of the log after `ms` more milliseconds. Returns the watermark. */
  async function look(ms: number, end: number | undefined = partition.end): Promise<number> {
    clock += ms;
    await assembler.lookAtEnd(end, clock);
    return watermark.value;
  }

  test('is dropped when the consumer has stood at the end for so long since it was read', async () => {
    await take(partition.chunk('a', 0, 'x'.repeat(50)));
    expect(await look(0)).toBe(0);
    expect(await look(DROP_AFTER_MS)).toBe(0);
    expect(assembler.hasOpenUploads).toBe(true);
    expect(await look(1)).toBe(1);
    expect(assembler.hasOpenUploads).toBe(false);
    expect(await folder.files()).toEqual([]);
  });

  test('is kept for as long when it comes to a consumer that has stood at the end before', async () => {
    await take(partition.abort('b'));
    await look(0);
    await look(DROP_AFTER_MS);
    await take(partition.chunk('a', 0, 'x'));
    expect(await look(DROP_AFTER_MS)).toBe(1);
    expect(await look(1)).toBe(2);
  });

  test.each([
    ['there is more to read: the consumer may be paused', 9],
    ['the log does not answer', undefined],
  ])('is kept while %s', async (_, end) => {
    await take(partition.chunk('a', 0, 'x'));
    await look(0);
    clock += 1_000 * DROP_AFTER_MS;
    await assembler.lookAtEnd(end, clock);
    // The time starts again here.
    expect(await look(1)).toBe(0);
    expect(await look(DROP_AFTER_MS)).toBe(0);
    expect(await look(1)).toBe(1);
  });

  test('is not dropped while the record is taken that ends it', async () => {
    await take(partition.chunk('a', 0, 'x'.repeat(50)));
    await look(0);
    const endOfBefore = partition.end;
    const complete = assembler.take(partition.finish('a', 1, 0));
    expect(await look(DROP_AFTER_MS + 1, endOfBefore)).toBe(0);
    expect((await complete)?.parts).toEqual([Buffer.from('x'.repeat(50))]);
  });

  test('is read again from its first chunk when its end comes after all', async () => {
    await take(partition.chunk('a', 0, 'a0'), partition.chunk('a', 1, 'a1'));
    await look(0);
    expect(await look(DROP_AFTER_MS + 1)).toBe(2);
    const late = partition.chunk('a', 2, 'a2');
    expect(await take(late, partition.finish('a', 3, 0))).toEqual({ a: 'a0a1a2' });
  });

  test('may be opened again while what it held is removed, and then holds the watermark', async () => {
    await take(partition.chunk('a', 0, 'x'.repeat(50)));
    await look(0);
    clock += DROP_AFTER_MS + 1;
    const dropped = assembler.lookAtEnd(partition.end, clock);
    await take(partition.chunk('a', 1, 'y'.repeat(50)));
    await dropped;
    expect(watermark.value).toBe(1);
    expect(await folder.files()).toHaveLength(1);
  });
});

test('once its partition is revoked it takes no further record and keeps nothing', async () => {
  await take(partition.chunk('a', 0, 'x'.repeat(50)), partition.chunk('b', 0, 'b'));
  await assembler.close();
  expect(await take(partition.chunk('c', 0, 'y'.repeat(50)), partition.finish('a', 1, 0))).toEqual(
    {},
  );
  expect(await folder.files()).toEqual([]);
});

test('reading again waits while the log is away, until the partition is revoked', async () => {
  let failures = 1;
  const log = {
    async *read(...run: Parameters<UploadLog['read']>) {
      if (failures-- > 0) throw new LogUnavailableError('the brokers are away');
      yield* partition.log.read(...run);
    },
  } as Partial<UploadLog> as UploadLog;
  assembler = new Assembler(log, await openStore(folder, 10), watermark, DROP_AFTER_MS);
  partition.chunk('a', 0, 'x');
  expect(await take(partition.finish('a', 1, 0))).toEqual({ a: 'x' });
  failures = Infinity;
  const { offset } = partition.chunk('b', 0, 'y');
  const taken = take(partition.finish('b', 1, offset));
  await assembler.close();
  await expect(taken).rejects.toThrow('the brokers are away');
});

test('what it reads again while its partition is revoked is left to the next consumer', async () => {
  partition.chunk('a', 0, 'x'.repeat(50));
  partition.chunk('a', 1, 'y'.repeat(50));
  const log = {
    async *read() {
      yield partition.records.slice(0, 1);
      await assembler.close();
      yield partition.records.slice(1, 2);
    },
  } as Partial<UploadLog> as UploadLog;
  assembler = new Assembler(log, await openStore(folder, 10), watermark, DROP_AFTER_MS);
  expect(await take(partition.finish('a', 2, 0))).toEqual({});
  expect(await folder.files()).toEqual([]);
});

test('a late duplicate of an upload in flight does not let go of its records', async () => {
  await take(partition.chunk('a', 0, 'x'), partition.finish('a', 1, 0));
  partition.now += DROP_AFTER_MS + 1;
  await take(partition.chunk('b', 0, 'x'), partition.chunk('a', 0, 'x'));
  partition.now += DROP_AFTER_MS + 1;
  await take(partition.chunk('c', 0, 'x'));
  expect(assembler.hasOpenUploads).toBe(true);
  expect(watermark.value).toBe(0);
  watermark.release('a');
  expect(watermark.value).toBe(4);
});

test('nor does it keep them once that upload has ended', async () => {
  await take(partition.chunk('a', 0, 'x'), partition.finish('a', 1, 0));
  partition.now += DROP_AFTER_MS + 1;
  await take(partition.chunk('b', 0, 'x'), partition.chunk('a', 0, 'x'));
  watermark.release('a');
  await take(partition.chunk('a', 1, 'x'));
  partition.now += DROP_AFTER_MS + 1;
  await take(partition.chunk('c', 0, 'x'));
  expect(watermark.value).toBe(5);
});
