import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, it } from '@jest/globals';

import { Pipes } from '../../../src/query/pipes.js';
import { makeDataDir, removeDataDir } from '../../support/service/service-process.js';

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
  const engine = await makeDataDir();
  const killed = await Pipes.create(engine, 2);
  const [before] = await passed(killed, 'before');
  const pipes = await Pipes.create(engine, 1);
  expect(await passed(pipes, 'after')).toEqual([before, 'after']);
  await pipes.remove();
  await removeDataDir(engine);
});

it('is no place of another engine', async () => {
  const engines = [await makeDataDir(), await makeDataDir()];
  const all = await Promise.all(engines.map((engine) => Pipes.create(engine, 1)));
  const folders = await Promise.all(all.map(async (pipes) => (await passed(pipes, 'x'))[0]));
  expect(new Set(folders).size).toBe(2);
  await Promise.all([...all.map((pipes) => pipes.remove()), ...engines.map(removeDataDir)]);
});
