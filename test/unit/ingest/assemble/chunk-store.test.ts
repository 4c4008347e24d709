import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import { pino } from 'pino';

import { ChunkStore, type OpenChunks } from '../../../../src/ingest/assemble/chunk-store.js';
import { openUploadBytes } from '../../../../src/ops/metrics.js';
import { MemoryFiles } from '../../../support/disk/memory-files.js';
import { openStore, SpillFolder } from './spill-folder.js';

let folder: SpillFolder;
beforeEach(async () => {
  folder = await SpillFolder.create();
});
afterEach(() => folder.remove());

const textOf = async (upload: OpenChunks, store: ChunkStore, count: number): Promise<string> =>
  Buffer.concat(await store.assemble(upload, count)).toString();

async function expectNothingHeld(): Promise<void> {
  const { values } = await openUploadBytes.get();
  expect(values.map(({ value }) => value)).toEqual([0, 0]);
}

test('below the bound nothing touches the disk', async () => {
  const store = await openStore(folder, 10);
  const upload = store.create('a');
  await store.add(upload, 0, Buffer.from('01234'));
  await store.add(upload, 1, Buffer.from('56789'));
  expect(await folder.files()).toEqual([]);
  expect(await textOf(upload, store, 2)).toBe('0123456789');
});

test('above the bound chunks go to a file, and come back in order, equal', async () => {
  const store = await openStore(folder, 5);
  const upload = store.create('a');
  await store.add(upload, 2, Buffer.from('four!'));
  await store.add(upload, 1, Buffer.from('second'));
  await store.add(upload, 3, Buffer.from(''));
  await store.add(upload, 0, Buffer.from('first'));
  expect(await folder.files()).toHaveLength(1);
  expect(await textOf(upload, store, 4)).toBe('firstsecondfour!');
});

test('a part that moves to another thread takes nothing with it that lay beside it', async () => {
  const store = await openStore(folder, 200_000);
  const read = Buffer.from(new ArrayBuffer(100_000)).fill('x');
  const [moved, stays] = [store.create('moved'), store.create('stays')];
  await store.add(moved, 0, read.subarray(0, 99_990));
  const parts = await store.assemble(moved, 1);
  structuredClone(parts, { transfer: parts.map(({ buffer }) => buffer) });
  await store.add(stays, 0, read.subarray(99_990));
  expect(await textOf(stays, store, 1)).toBe('xxxxxxxxxx');
});

test('the bound is one for all open uploads, and what is dropped makes room again', async () => {
  const store = await openStore(folder, 8);
  const [first, second, third] = [store.create('1'), store.create('2'), store.create('3')];
  await store.add(first, 0, Buffer.from('12345678'));
  await store.add(second, 0, Buffer.from('x'));
  expect(await folder.files()).toHaveLength(1);
  await store.drop(first);
  await store.add(third, 0, Buffer.from('12345678'));
  expect(await folder.files()).toHaveLength(1);
  await store.drop(second);
  expect(await folder.files()).toEqual([]);
  expect(await textOf(third, store, 1)).toBe('12345678');
});

test.each([100, 0])('a duplicate changes nothing, with %d bytes of memory', async (memory) => {
  const store = await openStore(folder, memory);
  const upload = store.create('a');
  await store.add(upload, 0, Buffer.from('one'));
  await store.add(upload, 0, Buffer.from('one'));
  await store.add(upload, 1, Buffer.from('two'));
  await store.add(upload, 0, Buffer.from('uno'));
  expect(await textOf(upload, store, 2)).toBe('onetwo');
});

test('a duplicate takes no room', async () => {
  const store = await openStore(folder, 6);
  const upload = store.create('a');
  for (let i = 0; i < 5; i++) await store.add(upload, 0, Buffer.from('one'));
  await store.add(upload, 1, Buffer.from('two'));
  expect(await folder.files()).toEqual([]);
});

test('files of an earlier process are removed at the start', async () => {
  await mkdir(folder.path);
  await writeFile(join(folder.path, 'left-over'), 'x');
  await openStore(folder, 0);
  expect(await folder.files()).toEqual([]);
});

test('an upload that is opened again has a file of its own while the first is being dropped', async () => {
  const store = await openStore(folder, 0);
  const before = store.create('a');
  await store.add(before, 0, Buffer.from('before'));
  const after = store.create('a');
  await store.add(after, 0, Buffer.from('after'));
  await store.drop(before);
  expect(await textOf(after, store, 1)).toBe('after');
});

test('a file that has lost bytes is an error, not an upload with zeros in it', async () => {
  const store = await openStore(folder, 0);
  const upload = store.create('a');
  await store.add(upload, 0, Buffer.from('0123456789'));
  const [file] = await folder.files();
  await truncate(join(folder.path, file!), 4);
  await expect(store.assemble(upload, 1)).rejects.toThrow('shorter');
});

test('uploads are coming while chunks of an open one arrive, and a little longer', async () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const store = await openStore(folder, 1);
  expect(store.hasUploadsComing).toBe(false);
  const [stalled, coming] = [store.create('stalled'), store.create('coming')];
  await store.add(stalled, 0, Buffer.from('in memory'));
  expect(store.hasUploadsComing).toBe(true);
  now.mockReturnValue(1_200);
  expect(store.hasUploadsComing).toBe(false);
  await store.add(coming, 0, Buffer.from('on disk'));
  expect(store.hasUploadsComing).toBe(true);
  await store.drop(coming);
  expect(store.hasUploadsComing).toBe(false);
  now.mockRestore();
});

describe('on a full disk', () => {
  const place = { path: 'spill' };

  test('an upload whose chunk has no room gives up its own, and others have theirs', async () => {
    const files = new MemoryFiles();
    files.roomBytes = 25;
    const store = await openStore(place, 10, files);
    const [inMemory, first, second] = ['memory', 'first', 'second'].map((id) => store.create(id));
    await store.add(inMemory!, 0, Buffer.from('0123456789'));
    await store.add(first!, 0, Buffer.from('abcdefghij'));
    await store.add(second!, 0, Buffer.from('klmnopqrst'));
    await store.add(first!, 1, Buffer.from('0123456789'));
    expect(first!.chunks.size).toBe(0);
    expect(files.bytes).toBe(10);
    await store.add(second!, 1, Buffer.from('uvwxyz'));
    expect(await textOf(second!, store, 2)).toBe('klmnopqrstuvwxyz');
    // Its later chunks are of no use.
    await store.add(first!, 2, Buffer.from('x'));
    expect(first!.chunks.size).toBe(0);
    await Promise.all([inMemory!, first!, second!].map((upload) => store.drop(upload)));
    expect(files.paths).toEqual([]);
    await expectNothingHeld();
  });

  test.each([5, 100])(
    'what is dropped while it is written leaves no file, with room for %d bytes of ten',
    async (roomBytes) => {
      const files = new MemoryFiles();
      files.roomBytes = roomBytes;
      const store = await openStore(place, 0, files);
      const upload = store.create('a');
      const write = files.write.bind(files);
      let begin: () => void = () => undefined;
      const begun = new Promise<void>((resolve) => (begin = resolve));
      jest.spyOn(files, 'write').mockImplementation(async (...args) => {
        await begun;
        await write(...args);
      });
      const added = store.add(upload, 0, Buffer.from('0123456789'));
      await store.drop(upload);
      begin();
      await added;
      expect(files.paths).toEqual([]);
      await expectNothingHeld();
    },
  );

  test('it is told once, with the reason', async () => {
    const files = new MemoryFiles();
    files.roomBytes = 5;
    const told: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line) => void told.push(line) });
    const store = new ChunkStore(files, 'spill', 0, logger);
    for (const roomBytes of [5, 100, 5]) {
      files.roomBytes = roomBytes;
      await store.add(store.create('a'), 0, Buffer.from('0123456789'));
    }
    expect(told.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        code: 'ENOSPC',
        msg: 'there is no room for open uploads: they are read again at their end',
      }),
    ]);
  });

  test('a file that cannot even be removed stays', async () => {
    const files = new MemoryFiles();
    files.roomBytes = 5;
    jest
      .spyOn(files, 'remove')
      .mockRejectedValue(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
    const store = await openStore(place, 0, files);
    const upload = store.create('a');
    await store.add(upload, 0, Buffer.from('0123456789'));
    expect(upload.isGivenUp).toBe(true);
    await store.drop(upload);
    await expectNothingHeld();
  });

  test('reading waits for a file descriptor', async () => {
    const files = new MemoryFiles();
    const store = await openStore(place, 0, files);
    const upload = store.create('a');
    await store.add(upload, 0, Buffer.from('0123456789'));
    const read = jest
      .spyOn(files, 'read')
      .mockRejectedValueOnce(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
    expect(await textOf(upload, store, 1)).toBe('0123456789');
    expect(read).toHaveBeenCalledTimes(2);
  });

  test('reading waits no more once the store is closed', async () => {
    const files = new MemoryFiles();
    const store = await openStore(place, 0, files);
    const upload = store.create('a');
    await store.add(upload, 0, Buffer.from('0123456789'));
    const code = 'EMFILE';
    jest.spyOn(files, 'read').mockRejectedValue(Object.assign(new Error('too many'), { code }));
    const read = store.assemble(upload, 1);
    store.close();
    await expect(read).rejects.toMatchObject({ code });
  });
});

test.each(['EROFS', 'EIO'])('a disk that answers %s is an error at once', async (code) => {
  const files = new MemoryFiles();
  const store = await openStore({ path: 'spill' }, 0, files);
  files.fault = code;
  await expect(store.add(store.create('a'), 0, Buffer.from('x'))).rejects.toMatchObject({ code });
});
