import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

import { afterEach, describe, expect, it } from '@jest/globals';
import { open } from 'lmdb';
import { LogUnavailableError, type RecordPosition } from '../../../../src/log/upload-log.js';
import { LogFolders, readAll, record, texts } from '../../../support/log/log-folders.js';

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

async function commitsOf(dir: string): Promise<number> {
  const env = open({ path: dir, noSubdir: false, overlappingSync: false });
  const { lastTxnId } = env.getStats() as { lastTxnId: number };
  await env.close();
  return lastTxnId;
}

describe('append', () => {
  it('gives contiguous offsets from 0 on, in the order of the records', async () => {
    const log = await folders.open();
    expect(await log.append('uploads', [record('a'), record('b')])).toEqual([
      { partition: 0, offset: 0 },
      { partition: 0, offset: 1 },
    ]);
    expect(await log.append('uploads', [record('c')])).toEqual([{ partition: 0, offset: 2 }]);
    expect(texts(await readAll(log, 'uploads'))).toEqual(['a', 'b', 'c']);
    expect(await log.endOffsets('uploads')).toEqual([3]);
    expect(await log.endOffsets('status')).toEqual([0]);
  });

  it('keeps key, headers and bytes as they are, down to an empty value', async () => {
    const log = await folders.open();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7) % 256));
    const headers = { type: 'chunk', 'naïve "name"': 'Zürich\n東京 🚀' };
    await log.append('uploads', [
      record(bytes, { key: '0190…🚀', headers }),
      record('', { key: '' }),
    ]);
    const [first, second] = await readAll(log, 'uploads');
    expect(first).toMatchObject({ key: '0190…🚀', headers });
    expect(Buffer.isBuffer(first!.value) && first!.value.equals(bytes)).toBe(true);
    expect(second).toMatchObject({ key: '', headers: {}, value: Buffer.alloc(0) });
  });

  it('takes only the named part of a larger buffer', async () => {
    const log = await folders.open();
    await log.append('uploads', [record(Buffer.from('xxchunkyy').subarray(2, 7))]);
    expect(texts(await readAll(log, 'uploads'))).toEqual(['chunk']);
  });

  it('gives concurrent appends offsets in the order of the calls', async () => {
    const log = await folders.open();
    const names = Array.from({ length: 200 }, (_, i) => `${i}`);
    const positions = await Promise.all(names.map((name) => log.append('status', [record(name)])));
    expect(positions.map(([position]) => position!.offset)).toEqual(names.map(Number));
    expect(texts(await readAll(log, 'status'))).toEqual(names);
  });

  it('writes concurrent appends in one commit', async () => {
    const dir = await folders.folder();
    await (await folders.open({ dir })).close();
    const before = await commitsOf(dir);
    const log = await folders.open({ dir });
    await Promise.all(Array.from({ length: 400 }, () => log.append('uploads', [record('x')])));
    await log.close();
    expect((await commitsOf(dir)) - before).toBe(1);
  });

  it('keeps the order of the calls over appends that do not wait for each other', async () => {
    const log = await folders.open();
    const appends: Promise<readonly RecordPosition[]>[] = [];
    for (let i = 0; i < 300; i++) {
      const bytes = i % 50 === 0 ? 3_000_000 : 100;
      appends.push(log.append('uploads', [record(Buffer.alloc(bytes, `${i};`))]));
      if (i % 4 === 0) await setImmediate();
      if (i % 90 === 0) await sleep(20);
    }
    const positions = await Promise.all(appends);
    expect(positions.map(([position]) => position!.offset)).toEqual([...positions.keys()]);
    const stored = await readAll(log, 'uploads');
    expect(texts(stored).map((text) => Number.parseInt(text))).toEqual([...positions.keys()]);
  });

  it('writes what several topics are to take in one commit', async () => {
    const dir = await folders.folder();
    await (await folders.open({ dir })).close();
    const before = await commitsOf(dir);
    const log = await folders.open({ dir });
    await log.appendInOrder([
      { topic: 'uploads', records: [record('chunk'), record('end')] },
      { topic: 'status', records: [record('uploaded')] },
    ]);
    expect(texts(await readAll(log, 'uploads'))).toEqual(['chunk', 'end']);
    expect(texts(await readAll(log, 'status'))).toEqual(['uploaded']);
    await log.close();
    expect((await commitsOf(dir)) - before).toBe(1);
  });

  it('writes nothing for any topic when one has not got the partition that is named', async () => {
    const log = await folders.open();
    const appended = log.appendInOrder([
      { topic: 'uploads', records: [record('end')] },
      { topic: 'status', records: [record('uploaded', { partition: 1 })] },
    ]);
    await expect(appended).rejects.toThrow(RangeError);
    expect(await log.endOffsets('uploads')).toEqual([0]);
  });

  it('keeps one partition for a key and spreads keys over the partitions', async () => {
    const log = await folders.open({ partitions: { uploads: 4 } });
    expect(log.partitions('uploads')).toBe(4);
    expect(log.partitions('status')).toBe(1);
    const keys = Array.from({ length: 64 }, (_, i) => `request-${i}`);
    const first = await log.append(
      'uploads',
      keys.map((key) => record('x', { key })),
    );
    const second = await log.append(
      'uploads',
      keys.map((key) => record('y', { key })),
    );
    const partitions = first.map(({ partition }) => partition);
    expect(second.map(({ partition }) => partition)).toEqual(partitions);
    expect(new Set(partitions).size).toBe(4);
  });

  it('follows the partition that is named, and refuses one that does not exist', async () => {
    const log = await folders.open({ partitions: { uploads: 2 } });
    await log.append('uploads', [record('a', { partition: 1 })]);
    expect(await log.endOffsets('uploads')).toEqual([0, 1]);
    await expect(log.append('uploads', [record('b', { partition: 2 })])).rejects.toThrow(
      RangeError,
    );
    expect(await log.endOffsets('uploads')).toEqual([0, 1]);
  });

  it('never lets timestamps of a partition decrease when the clock steps back', async () => {
    let now = 1_000;
    const dir = await folders.folder();
    const log = await folders.open({ dir, now: () => now });
    await log.append('uploads', [record('a')]);
    now = 400;
    await log.append('uploads', [record('b')]);
    await log.close();
    const reopened = await folders.open({ dir, now: () => now });
    await reopened.append('uploads', [record('c')]);
    now = 2_000;
    await reopened.append('uploads', [record('d')]);
    const timestamps = (await readAll(reopened, 'uploads')).map(({ timestamp }) => timestamp);
    expect(timestamps).toEqual([1_000, 1_000, 1_000, 2_000]);
  });

  it('is refused after close, which waits for what is being appended', async () => {
    const dir = await folders.folder();
    const log = await folders.open({ dir });
    const pending = log.append('uploads', [record('last')]);
    await Promise.all([log.close(), log.close()]);
    await expect(pending).resolves.toEqual([{ partition: 0, offset: 0 }]);
    await expect(log.append('uploads', [record('late')])).rejects.toThrow(LogUnavailableError);
    await expect(log.endOffsets('uploads')).rejects.toThrow(LogUnavailableError);
    expect(texts(await readAll(await folders.open({ dir }), 'uploads'))).toEqual(['last']);
  });
});

describe('read', () => {
  it('gives the records of a range and no others', async () => {
    const log = await folders.open();
    await log.append(
      'uploads',
      ['a', 'b', 'c', 'd'].map((text) => record(text)),
    );
    const seen: string[] = [];
    for await (const batch of log.read('uploads', 0, 1, 3)) seen.push(...texts(batch));
    expect(seen).toEqual(['b', 'c']);
    for await (const batch of log.read('uploads', 0, 4, 99)) seen.push(...texts(batch));
    expect(seen).toEqual(['b', 'c']);
  });

  it('gives batches bounded by bytes and by records', async () => {
    const log = await folders.open();
    await log.append(
      'uploads',
      Array.from({ length: 40 }, () => record(Buffer.alloc(262_144))),
    );
    await log.append(
      'uploads',
      Array.from({ length: 1_200 }, () => record('small')),
    );
    const sizes: number[] = [];
    for await (const batch of log.read('uploads', 0, 0, 1_240)) sizes.push(batch.length);
    expect(sizes.slice(0, 2)).toEqual([16, 16]);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(1_240);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
  });
});

describe('reopening', () => {
  it('finds the records, and goes on with the offsets and the partitions it was made with', async () => {
    const dir = await folders.folder();
    const log = await folders.open({ dir, partitions: { uploads: 3 } });
    await log.append('uploads', [record('a', { partition: 2 }), record('b', { partition: 2 })]);
    await log.close();
    const reopened = await folders.open({ dir });
    expect(await reopened.endOffsets('uploads')).toEqual([0, 0, 2]);
    expect(texts(await readAll(reopened, 'uploads', 2))).toEqual(['a', 'b']);
    const positions = await reopened.append('uploads', [record('c', { partition: 2 })]);
    expect(positions).toEqual([{ partition: 2, offset: 2 }]);
  });

  it('is refused while the folder is open in this process', async () => {
    const dir = await folders.folder();
    await folders.open({ dir });
    await expect(folders.open({ dir })).rejects.toThrow('open in this process already');
  });
});
