import { afterEach, expect, it } from '@jest/globals';

import {
  type LogRecord,
  LogUnavailableError,
  TOPICS,
  type UploadLog,
} from '../../../src/log/upload-log.js';
import { Collector, texts } from '../../kafka/collector.js';
import { until } from '../until.js';
import { record } from './log-folders.js';

export interface Logs {
  /** The configured retention. */
  readonly retentionMs: number;
  /** Opens a new log whose `uploads` topic has this many partitions. */
  open(partitions: number): Promise<UploadLog>;
  cleanUp(): Promise<void>;
}

/** The contract of the log port, with the same tests for every implementation. */
export function behavesAsThePortSays(logs: Logs): void {
  afterEach(() => logs.cleanUp());

  it('gives positions in the order of the records, across partitions', async () => {
    const log = await logs.open(2);
    expect(log.partitions('uploads')).toBe(2);
    const appended = ['a', 'b', 'c'].map((text, i) => record(text, { partition: i % 2 }));
    expect(await log.append('uploads', appended)).toEqual([
      { partition: 0, offset: 0 },
      { partition: 1, offset: 0 },
      { partition: 0, offset: 1 },
    ]);
    expect(await log.append('uploads', [])).toEqual([]);
    expect(await log.endOffsets('uploads')).toEqual([2, 1]);
    const ends = [0, 1].map((partition) => log.endOffset('uploads', partition));
    expect(await Promise.all(ends)).toEqual([2, 1]);
    expect(texts(await readAll(log, 0))).toEqual(['a', 'c']);
  });

  it('does not take a partition that it does not have for an empty one', async () => {
    const log = await logs.open(2);
    await expect(log.endOffset('uploads', 2)).rejects.toThrow(LogUnavailableError);
    await expect(log.read('uploads', 2, 0, 1)[Symbol.asyncIterator]().next()).rejects.toThrow(
      LogUnavailableError,
    );
  });

  it('keeps key, headers and bytes as they are, down to an empty value', async () => {
    const log = await logs.open(1);
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7) % 256));
    const headers = { type: 'chunk', 'naïve "name"': 'Zürich\n東京 🚀', empty: '' };
    await log.append('uploads', [
      record(Buffer.concat([Buffer.from('xx'), bytes]).subarray(2), { key: '0190…🚀', headers }),
      record('', { key: '' }),
    ]);
    const [first, second] = await readAll(log, 0);
    expect(first).toMatchObject({ key: '0190…🚀', headers });
    expect(Buffer.isBuffer(first!.value) && first!.value.equals(bytes)).toBe(true);
    expect(second).toMatchObject({ key: '', headers: {}, value: Buffer.alloc(0) });
  });

  it('appends what comes together in the order of the calls, with times that never decrease', async () => {
    const log = await logs.open(1);
    const names = Array.from({ length: 300 }, (_, i) => `${i}`);
    const before = Date.now();
    const positions = await Promise.all(names.map((name) => log.append('uploads', [record(name)])));
    expect(positions.map(([position]) => position!.offset)).toEqual(names.map(Number));
    const records = await readAll(log, 0);
    expect(texts(records)).toEqual(names);
    records.forEach(({ timestamp }, i) => {
      expect(timestamp).toBeGreaterThanOrEqual(i === 0 ? before : records[i - 1]!.timestamp);
    });
  });

  it('puts the records of one append right behind one another, whatever comes beside it', async () => {
    const log = await logs.open(2);
    const appends = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        log.append('uploads', [
          record(`${i} first`, { partition: i % 2 }),
          record(`${i} second`, { partition: i % 2 }),
        ]),
      ),
    );
    for (const [first, second] of appends) expect(second!.offset).toBe(first!.offset + 1);
    const read = [...(await readAll(log, 0)), ...(await readAll(log, 1))];
    expect(texts(read.filter(({ offset }) => offset % 2 === 1))).toEqual(
      texts(read.filter(({ offset }) => offset % 2 === 0)).map((name) =>
        name.replace('first', 'second'),
      ),
    );
  });

  it('appends to a topic when those before it have their records, and not when they have not', async () => {
    const log = await logs.open(1);
    await log.appendInOrder([
      { topic: 'uploads', records: [record('chunk'), record('end')] },
      { topic: 'status', records: [record('uploaded')] },
    ]);
    expect(texts(await readAll(log, 0))).toEqual(['chunk', 'end']);
    const known = await log.endOffsets('status');
    expect(known.reduce((sum, offset) => sum + offset, 0)).toBe(1);

    const nowhere = record('end', { partition: 1 });
    const appended = log.appendInOrder([
      { topic: 'uploads', records: [nowhere] },
      { topic: 'status', records: [record('uploaded')] },
    ]);
    await expect(appended).rejects.toThrow(RangeError);
    // Behind one that comes late all the same.
    const [next] = await log.append('status', [record('next', { partition: 0 })]);
    expect(next!.offset).toBe(known[0]);
  });

  it('keeps one partition for a key, and refuses a partition that there is not', async () => {
    const log = await logs.open(4);
    const keys = Array.from({ length: 64 }, (_, i) => `request-${i}`);
    const partitionsOf = async (): Promise<number[]> =>
      (
        await log.append(
          'uploads',
          keys.map((key) => record('x', { key })),
        )
      ).map(({ partition }) => partition);
    const first = await partitionsOf();
    expect(await partitionsOf()).toEqual(first);
    expect(new Set(first).size).toBe(4);
    const nowhere = record('x', { partition: 4 });
    await expect(log.append('uploads', [nowhere])).rejects.toThrow(RangeError);
  });

  it('reads a range, however large, and nothing outside of it', async () => {
    const log = await logs.open(1);
    const value = Buffer.alloc(200_000, 7);
    for (let i = 0; i < 3; i++) {
      await log.append(
        'uploads',
        Array.from({ length: 20 }, () => record(value)),
      );
    }
    const offsets = async (from: number, to: number): Promise<number[]> => {
      const all: number[] = [];
      for await (const batch of log.read('uploads', 0, from, to)) {
        all.push(...batch.map(({ offset }) => offset));
      }
      return all;
    };
    expect(await offsets(5, 48)).toEqual(Array.from({ length: 43 }, (_, i) => 5 + i));
    expect(await offsets(59, 1_000)).toEqual([59]);
    expect(await offsets(60, 1_000)).toEqual([]);
    expect(await offsets(7, 7)).toEqual([]);
  });

  it('consumes from the committed offset on, each record once and in order', async () => {
    const log = await logs.open(1);
    await log.append(
      'uploads',
      ['a', 'b', 'c'].map((text) => record(text)),
    );
    expect(await log.committedOffsets('uploads', 'ingest')).toEqual([0]);
    const first = new Collector();
    const consumption = await log.consume('uploads', 'ingest', first);
    expect(first.events).toEqual([]);
    await until(() => first.seen.length === 3);
    await log.append('uploads', [record('d')]);
    await until(() => first.seen.length === 4);
    expect(texts(first.seen)).toEqual(['a', 'b', 'c', 'd']);
    await consumption.stop();
    // Records that were handed over may be finished and committed after the consumption stops.
    await consumption.commit(0, 2);
    expect(await log.committedOffsets('uploads', 'ingest')).toEqual([2]);
    expect(await log.committedOffsets('uploads', 'other')).toEqual([0]);

    const second = new Collector();
    await log.consume('uploads', 'ingest', second);
    await until(() => second.seen.length === 2);
    expect(texts(second.seen)).toEqual(['c', 'd']);
    expect(second.events).toEqual(['+0@2']);
  });

  it('refuses a second consumption of a group, and an offset that was not reached', async () => {
    const log = await logs.open(1);
    await log.append('uploads', [record('a')]);
    const collector = new Collector();
    const consumption = await log.consume('uploads', 'ingest', collector);
    await expect(log.consume('uploads', 'ingest', new Collector())).rejects.toThrow('already');
    await until(() => collector.seen.length === 1);
    await expect(consumption.commit(0, 2)).rejects.toThrow(RangeError);
    await consumption.commit(0, 1);
  });

  it('never calls the handler twice at once for a partition, but lets partitions run apart', async () => {
    const log = await logs.open(2);
    const underWay = [0, 0];
    let overlaps = 0;
    let apart = false;
    const collector = new Collector(async (partition) => {
      if (++underWay[partition]! > 1) overlaps++;
      apart ||= underWay[0] === 1 && underWay[1] === 1;
      // The first call waits for one of the other partition, however long it takes to be read.
      await until(() => apart);
      await new Promise((resolve) => setTimeout(resolve, 5));
      underWay[partition]!--;
    });
    await log.consume('uploads', 'ingest', collector);
    for (let i = 0; i < 20; i++) {
      await log.append('uploads', [record('x', { partition: 0 }), record('y', { partition: 1 })]);
    }
    await until(() => collector.seen.length === 40);
    expect(overlaps).toBe(0);
    expect(apart).toBe(true);
  });

  it('fails with what the handler rejects with, and hands over nothing more', async () => {
    const log = await logs.open(1);
    const collector = new Collector(() => Promise.reject(new Error('the warehouse is gone')));
    const consumption = await log.consume('uploads', 'ingest', collector);
    await log.append('uploads', [record('a')]);
    await expect(consumption.failed).rejects.toThrow('the warehouse is gone');
    await log.append('uploads', [record('b')]);
    await consumption.stop();
    expect(texts(collector.seen)).toEqual(['a']);
    expect(await log.committedOffsets('uploads', 'ingest')).toEqual([0]);
  });

  it('waits at stop and at close for the handler call under way', async () => {
    const log = await logs.open(1);
    let finish: (() => void) | undefined;
    let isDone = false;
    const collector = new Collector(async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      await log.append('status', [record('told')]);
      isDone = true;
    });
    await log.append('uploads', [record('a')]);
    const consumption = await log.consume('uploads', 'ingest', collector);
    await until(() => finish !== undefined);
    const stopped = consumption.stop().then(() => isDone);
    const closed = log.close().then(() => isDone);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isDone).toBe(false);
    finish!();
    expect(await stopped).toBe(true);
    expect(await closed).toBe(true);
  });

  it('tails from given offsets, tells how far it has come, and when it is late or stopped', async () => {
    const log = await logs.open(2);
    const both = ['a', 'b'].flatMap((x) => [0, 1].map((p) => record(`${p}${x}`, { partition: p })));
    await log.append('uploads', both);
    const seen: LogRecord[] = [];
    const tail = await log.tail('uploads', [1, 0], (records) => seen.push(...records));
    await tail.reached(await log.endOffsets('uploads'), 20_000);
    expect(texts(seen).sort()).toEqual(['0b', '1a', '1b']);
    await tail.reached([2, 2], 0);
    await expect(tail.reached([3, 2], 50)).rejects.toThrow('behind');
    const waiting = tail.reached([3, 2], 20_000);
    await log.append('uploads', [record('0c', { partition: 0 })]);
    await waiting;
    expect(texts(seen).at(-1)).toBe('0c');
    const never = expect(tail.reached([9, 9], 20_000)).rejects.toThrow('stopped');
    await tail.stop();
    await never;
    await log.append('uploads', [record('0d', { partition: 0 })]);
    expect(seen).toHaveLength(4);
  });

  it('ends a tail whose reader throws, and lets nobody wait for it', async () => {
    const log = await logs.open(1);
    const tail = await log.tail('uploads', [0], () => {
      throw new Error('not a transition');
    });
    await log.append('uploads', [record('a')]);
    await expect(tail.reached([1], 20_000)).rejects.toThrow('cannot go on');
    await expect(tail.reached([1], 20_000)).rejects.toThrow('cannot go on');
  });

  it('tells how long each topic keeps a record', async () => {
    const log = await logs.open(1);
    for (const topic of TOPICS) {
      const retentionMs = await log.maxRetentionMs(topic);
      expect(retentionMs).toBeGreaterThan(logs.retentionMs);
      expect(retentionMs).toBeLessThan(Infinity);
    }
  });
}

async function readAll(log: UploadLog, partition: number): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  for await (const batch of log.read('uploads', partition, 0, Infinity)) all.push(...batch);
  return all;
}
