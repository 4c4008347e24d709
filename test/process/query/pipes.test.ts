import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { Pipes } from '../../../src/query/pipes.js';
import { makeDataDir, removeDataDir } from '../../support/service/service-process.js';

let dataDir: string;
let folder: string;
beforeEach(async () => {
  dataDir = await makeDataDir();
  folder = join(dataDir, 'results');
});
afterEach(async () => {
  await removeDataDir(dataDir);
});

/** Writes to a pipe. Returns its folder and what comes out of it. */
async function passed(pipes: Pipes, words: string): Promise<[folder: string, words: string]> {
  return pipes.use(async ({ path, output, finish }) => {
    const read = text(output);
    await writeFile(path, words);
    finish();
    return [dirname(path), await read];
  });
}

it('takes the place of what a killed process left', async () => {
  const killed = await Pipes.create(folder, 2);
  expect(await passed(killed, 'before')).toEqual([folder, 'before']);
  const pipes = await Pipes.create(folder, 1);
  expect(await passed(pipes, 'after')).toEqual([folder, 'after']);
  expect(await readdir(folder)).toHaveLength(1);
  await pipes.remove();
  expect(await readdir(folder)).toEqual([]);
});

it('is there again after it could not be opened', async () => {
  const pipes = await Pipes.create(folder, 1);
  const [name] = await readdir(folder);
  await rename(folder, `${folder}-away`);
  await expect(passed(pipes, 'x')).rejects.toThrow('ENOENT');
  // A folder can be opened for reading only.
  await mkdir(join(folder, name!), { recursive: true });
  const before = await readdir('/proc/self/fd');
  await expect(passed(pipes, 'x')).rejects.toThrow('EISDIR');
  expect(await readdir('/proc/self/fd')).toHaveLength(before.length);
  await rm(folder, { recursive: true });
  await rename(`${folder}-away`, folder);
  expect(await passed(pipes, 'y')).toEqual([folder, 'y']);
});
