import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import type { ChunkStore, OpenChunks } from '../../../../src/ingest/assemble/chunk-store.js';
import { MemoryFiles } from '../../../support/disk/memory-files.js';
import { openStore, SpillFolder } from './spill-folder.js';
import { until } from '../../../support/until.js';

let folder: SpillFolder;
beforeEach(async () => {
  folder = await SpillFolder.create();
});
afterEach(() => folder.remove());

const textOf = async (upload: OpenChunks, store: ChunkStore, count: number): Promise<string> =>
  Buffer.concat(await store.assemble(upload, count)).toString();

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

  test('a chunk that has no room in memory waits, and is whole when there is room', async () => {
    const files = new MemoryFiles();
    const store = await openStore(place, 0, files);
    const upload = store.create('a');
    await store.add(upload, 0, Buffer.from('0123456789'));
    files.roomBytes = 15;
    let isAdded = false;
    const added = store.add(upload, 1, Buffer.from('abcdefghij')).then(() => (isAdded = true));
    await until(() => files.bytes >= 15, 1);
    await sleep(100);
    expect(isAdded).toBe(false);
    files.roomBytes = 100;
    await added;
    expect(await textOf(upload, store, 2)).toBe('0123456789abcdefghij');
    expect(files.bytes).toBe(20);
  });

  test('it goes into memory when that has room first', async () => {
    const files = new MemoryFiles();
    files.roomBytes = 0;
    const store = await openStore(place, 10, files);
    const [first, second] = [store.create('first'), store.create('second')];
    await store.add(first, 0, Buffer.from('0123456789'));
    const added = store.add(second, 0, Buffer.from('abcdefghij'));
    await store.drop(first);
    await added;
    expect(await textOf(second, store, 1)).toBe('abcdefghij');
  });

  test('what is dropped while it waits leaves no file', async () => {
    const files = new MemoryFiles();
    files.roomBytes = 5;
    const store = await openStore(place, 0, files);
    const upload = store.create('a');
    const added = store.add(upload, 0, Buffer.from('0123456789'));
    await until(() => files.bytes >= 5, 1);
    await store.drop(upload);
    files.roomBytes = 100;
    await added;
    expect(files.paths).toEqual([]);
  });

  test('a file that nothing could be written to is removed as well', async () => {
    const files = new MemoryFiles();
    const store = await openStore(place, 10, files);
    const [first, second] = [store.create('first'), store.create('second')];
    await store.add(first, 0, Buffer.from('0123456789'));
    files.roomBytes = 5;
    const added = store.add(second, 0, Buffer.from('abcdefghij'));
    await until(() => files.bytes >= 5, 1);
    // The chunk goes into memory after all.
    await store.drop(first);
    await added;
    await store.drop(second);
    expect(files.paths).toEqual([]);
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

  test('nothing waits any more once the store is closed', async () => {
    const files = new MemoryFiles();
    files.roomBytes = 5;
    const store = await openStore(place, 0, files);
    const added = store.add(store.create('a'), 0, Buffer.from('0123456789'));
    await until(() => files.bytes >= 5, 1);
    store.close();
    await expect(added).rejects.toMatchObject({ code: 'ENOSPC' });
  });
});

test.each(['EROFS', 'EIO'])('a disk that answers %s is an error at once', async (code) => {
  const files = new MemoryFiles();
  const store = await openStore({ path: 'spill' }, 0, files);
  files.fault = code;
  await expect(store.add(store.create('a'), 0, Buffer.from('x'))).rejects.toMatchObject({ code });
});
