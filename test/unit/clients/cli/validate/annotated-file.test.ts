import { link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { csv, goodRow } from '../../../../support/files/files.js';
import { type Outcome, outcomeOf } from '../../../../support/service/outcome.js';

let folder: string;
let path: string;
let annotated: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'annotated-file-'));
  path = join(folder, 'file.csv');
  annotated = join(folder, 'annotated.csv');
  await writeFile(path, csv([goodRow('cost'), goodRow('cost', { clicks: 'many' })]));
});
afterEach(() => rm(folder, { recursive: true }));

const validateTo = (output: string): Promise<Outcome> =>
  outcomeOf({}, 'validate', path, '--family', 'cost', '--annotate', output);

describe('the annotated file', () => {
  test('takes the place of the one before when it is whole', async () => {
    await writeFile(annotated, 'before\n');
    const before = join(folder, 'before.csv');
    await link(annotated, before);
    const { code, err } = await validateTo(annotated);
    expect([code, err]).toEqual([1, `wrote 1 rows to ${annotated}\nerror: ${path} is not valid\n`]);
    expect(await readFile(annotated, 'utf8')).toMatch(/^\ufeffdate,.+,error\n.+"many".+\n$/);
    // What was written in place would be in both.
    expect(await readFile(before, 'utf8')).toBe('before\n');
    expect(await readdir(folder)).toHaveLength(3);
  });

  test('leaves the one before as it was when the person ends the command', async () => {
    await writeFile(annotated, 'before\n');
    // Ctrl-C as soon as the command listens for it.
    const interrupt = (event: string | symbol): void => {
      if (event === 'SIGINT') queueMicrotask(() => process.emit('SIGINT'));
    };
    process.on('newListener', interrupt);
    const { code, err } = await validateTo(annotated);
    process.off('newListener', interrupt);
    expect([code, err]).toEqual([130, 'error: interrupted\n']);
    expect(await readFile(annotated, 'utf8')).toBe('before\n');
    expect(await readdir(folder)).toHaveLength(2);
  });

  test('is no folder, and is in one that is there', async () => {
    const deep = join(folder, 'deep');
    const output = join(deep, 'x.csv');
    const missing = await validateTo(output);
    expect([missing.code, missing.err]).toEqual([
      1,
      `error: ${output} cannot be written: ENOENT\n`,
    ]);
    await mkdir(deep);
    const taken = await validateTo(deep);
    expect([taken.code, taken.out, taken.err]).toEqual([2, '', `error: ${deep} is a folder\n`]);
  });
});
