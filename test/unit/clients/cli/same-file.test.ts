import { link, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { outputFor } from '../../../../src/clients/cli/output-file.js';

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'same-file-'));
  path = join(folder, 'file.csv');
  await writeFile(path, 'a\n');
});
afterAll(() => rm(folder, { recursive: true }));

/** Whether the output may be written while standard input comes from a file. */
async function refusal(input: string, output: string): Promise<void> {
  const stdin = await open(input);
  try {
    await outputFor('-', output, stdin.fd);
  } finally {
    await stdin.close();
  }
}

test('the file behind standard input is not written over, also by another name', async () => {
  const other = join(folder, 'other.csv');
  await link(path, other);
  for (const output of [path, other]) {
    const message = `${output} is the file itself, which stays as it is`;
    await expect(refusal(path, output)).rejects.toMatchObject({ message, exitCode: 2 });
  }
});

test('another file is, and what is no file', async () => {
  await refusal(path, join(folder, 'missing.csv'));
  await refusal('/dev/null', '/dev/null');
});

test('standard input may be closed', async () => {
  await outputFor('-', path, 1_000_000);
});
