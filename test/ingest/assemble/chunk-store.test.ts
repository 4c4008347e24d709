import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { ChunkStore } from '../../../src/ingest/assemble/chunk-store.js';
import { SpillFolder } from './spill-folder.js';

let folder: SpillFolder;
beforeEach(async () => {
  folder = await SpillFolder.create();
});
afterEach(() => folder.remove());

const bytesOf = (...texts: string[]): Uint8Array => Uint8Array.from(Buffer.from(texts.join('')));

test('below the bound nothing touches the disk', async () => {
  const store = await ChunkStore.open(folder.path, 10);
  const upload = store.create('a');
  await store.add(upload, 0, Buffer.from('01234'));
  await store.add(upload, 1, Buffer.from('56789'));
  expect(await folder.files()).toEqual([]);
  expect(await store.assemble(upload, 2)).toEqual(bytesOf('0123456789'));
});

test('above the bound chunks go to a file, and come back in order, equal', async () => {
  const store = await ChunkStore.open(folder.path, 5);
  const upload = store.create('a');
  await store.add(upload, 2, Buffer.from('four!'));
  await store.add(upload, 1, Buffer.from('second'));
  await store.add(upload, 3, Buffer.from(''));
  await store.add(upload, 0, Buffer.from('first'));
  expect(await folder.files()).toHaveLength(1);
  expect(await store.assemble(upload, 4)).toEqual(bytesOf('first', 'second', 'four!'));
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
  expect(await store.assemble(third, 1)).toEqual(bytesOf('12345678'));
});

test.each([100, 0])('a duplicate changes nothing, with %d bytes of memory', async (memory) => {
  const store = await ChunkStore.open(folder.path, memory);
  const upload = store.create('a');
  await store.add(upload, 0, Buffer.from('one'));
  await store.add(upload, 0, Buffer.from('one'));
  await store.add(upload, 1, Buffer.from('two'));
  await store.add(upload, 0, Buffer.from('uno'));
  expect(await store.assemble(upload, 2)).toEqual(bytesOf('one', 'two'));
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
  expect(await store.assemble(after, 1)).toEqual(bytesOf('after'));
});

test('a file that has lost bytes is an error, not an upload with zeros in it', async () => {
  const store = await ChunkStore.open(folder.path, 0);
  const upload = store.create('a');
  await store.add(upload, 0, Buffer.from('0123456789'));
  const [file] = await folder.files();
  await truncate(join(folder.path, file!), 4);
  await expect(store.assemble(upload, 1)).rejects.toThrow('shorter');
});
