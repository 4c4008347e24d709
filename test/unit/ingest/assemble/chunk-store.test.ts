import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { ChunkStore, type OpenChunks } from '../../../../src/ingest/assemble/chunk-store.js';
import { SpillFolder } from './spill-folder.js';

let folder: SpillFolder;
beforeEach(async () => {
  folder = await SpillFolder.create();
});
afterEach(() => folder.remove());

const textOf = async (upload: OpenChunks, store: ChunkStore, count: number): Promise<string> =>
  Buffer.concat(await store.assemble(upload, count)).toString();

test('below the bound nothing touches the disk', async () => {
  const store = await ChunkStore.open(folder.path, 10);
  const upload = store.create('a');
  await store.add(upload, 0, Buffer.from('01234'));
  await store.add(upload, 1, Buffer.from('56789'));
  expect(await folder.files()).toEqual([]);
  expect(await textOf(upload, store, 2)).toBe('0123456789');
});

test('above the bound chunks go to a file, and come back in order, equal', async () => {
  const store = await ChunkStore.open(folder.path, 5);
  const upload = store.create('a');
  await store.add(upload, 2, Buffer.from('four!'));
  await store.add(upload, 1, Buffer.from('second'));
  await store.add(upload, 3, Buffer.from(''));
  await store.add(upload, 0, Buffer.from('first'));
  expect(await folder.files()).toHaveLength(1);
  expect(await textOf(upload, store, 4)).toBe('firstsecondfour!');
});

test('a part that moves to another thread takes nothing with it that lay beside it', async () => {
  const store = await ChunkStore.open(folder.path, 200_000);
  const read = Buffer.from(new ArrayBuffer(100_000)).fill('x');
  const [moved, stays] = [store.create('moved'), store.create('stays')];
  await store.add(moved, 0, read.subarray(0, 99_990));
  const parts = await store.assemble(moved, 1);
  structuredClone(parts, { transfer: parts.map(({ buffer }) => buffer) });
  await store.add(stays, 0, read.subarray(99_990));
  expect(await textOf(stays, store, 1)).toBe('xxxxxxxxxx');
});

test('the bound is one for all open uploads, and what is dropped makes room again', async () => {
  const store = await ChunkStore.open(folder.path, 8);
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
  const store = await ChunkStore.open(folder.path, memory);
  const upload = store.create('a');
  await store.add(upload, 0, Buffer.from('one'));
  await store.add(upload, 0, Buffer.from('one'));
  await store.add(upload, 1, Buffer.from('two'));
  await store.add(upload, 0, Buffer.from('uno'));
  expect(await textOf(upload, store, 2)).toBe('onetwo');
});

test('a duplicate takes no room', async () => {
  const store = await ChunkStore.open(folder.path, 6);
  const upload = store.create('a');
  for (let i = 0; i < 5; i++) await store.add(upload, 0, Buffer.from('one'));
  await store.add(upload, 1, Buffer.from('two'));
  expect(await folder.files()).toEqual([]);
});

test('files of an earlier process are removed at the start', async () => {
  await mkdir(folder.path);
  await writeFile(join(folder.path, 'left-over'), 'x');
  await ChunkStore.open(folder.path, 0);
  expect(await folder.files()).toEqual([]);
});

test('an upload that is opened again has a file of its own while the first is being dropped', async () => {
  const store = await ChunkStore.open(folder.path, 0);
  const before = store.create('a');
  await store.add(before, 0, Buffer.from('before'));
  const after = store.create('a');
  await store.add(after, 0, Buffer.from('after'));
  await store.drop(before);
  expect(await textOf(after, store, 1)).toBe('after');
});

test('a file that has lost bytes is an error, not an upload with zeros in it', async () => {
  const store = await ChunkStore.open(folder.path, 0);
  const upload = store.create('a');
  await store.add(upload, 0, Buffer.from('0123456789'));
  const [file] = await folder.files();
  await truncate(join(folder.path, file!), 4);
  await expect(store.assemble(upload, 1)).rejects.toThrow('shorter');
});

test('it is filling while chunks come of an upload that is open, and a little longer', async () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const store = await ChunkStore.open(folder.path, 1);
  expect(store.isFilling).toBe(false);
  const [stalled, coming] = [store.create('stalled'), store.create('coming')];
  await store.add(stalled, 0, Buffer.from('in memory'));
  expect(store.isFilling).toBe(true);
  now.mockReturnValue(1_200);
  expect(store.isFilling).toBe(false);
  await store.add(coming, 0, Buffer.from('on disk'));
  expect(store.isFilling).toBe(true);
  await store.drop(coming);
  expect(store.isFilling).toBe(false);
  now.mockRestore();
});
