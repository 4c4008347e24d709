import { execFileSync } from 'node:child_process';
import { readdirSync, unlinkSync } from 'node:fs';
import {
  chmod,
  link,
  lstat,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { outputFor, writeOutput } from '../../../../src/clients/cli/output-file.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'output-file-'));
  path = join(folder, 'x.csv');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const PIECES = ['a\n', 'b\n'].map((text) => Buffer.from(text));

/** A disk that becomes full behind the first piece. */
function* cutOff(): Generator<Uint8Array, void> {
  yield PIECES[0]!;
  throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
}

describe('the converted file', () => {
  test('is written with all its pieces, and nothing else is left', async () => {
    await writeOutput(await outputFor('-', path), PIECES);
    expect(await readFile(path, 'utf8')).toBe('a\nb\n');
    expect(await readdir(folder)).toEqual(['x.csv']);
  });

  test('is not there at all when it cannot be written to its end', async () => {
    const written = writeOutput(await outputFor('-', path), cutOff());
    await expect(written).rejects.toThrow(`${path} cannot be written: ENOSPC`);
    expect(await readdir(folder)).toEqual([]);
  });

  test('is not there at all when the person ends the command', async () => {
    const interrupted = new AbortController();
    function* ended(): Generator<Uint8Array, void> {
      yield PIECES[0]!;
      interrupted.abort();
      yield PIECES[1]!;
    }
    const written = writeOutput(await outputFor('-', path), ended(), interrupted.signal);
    await expect(written).rejects.toMatchObject({ message: 'interrupted', exitCode: 130 });
    expect(await readdir(folder)).toEqual([]);
  });

  test('leaves no empty file when it cannot take its place', async () => {
    function* lost(): Generator<Uint8Array, void> {
      yield PIECES[0]!;
      for (const name of readdirSync(folder)) unlinkSync(join(folder, name));
    }
    await expect(writeOutput(await outputFor('-', path), lost())).rejects.toThrow('ENOENT');
    expect(await readdir(folder)).toEqual([]);
  });

  test('leaves the one before as it was until it is whole', async () => {
    await writeFile(path, 'before\n');
    await expect(writeOutput(await outputFor('-', path), cutOff())).rejects.toThrow('ENOSPC');
    expect(await readFile(path, 'utf8')).toBe('before\n');
    expect(await readdir(folder)).toEqual(['x.csv']);
  });

  test('is not written over one that has come in the meantime', async () => {
    const output = await outputFor('-', path);
    await writeFile(path, 'other\n');
    await expect(writeOutput(output, PIECES)).rejects.toThrow(`${path} cannot be written: EEXIST`);
    expect(await readFile(path, 'utf8')).toBe('other\n');
    expect(await readdir(folder)).toEqual(['x.csv']);
  });

  test('takes the place of what a link names, with its rights', async () => {
    const link = join(folder, 'link.csv');
    await writeFile(path, 'before\n');
    await chmod(path, 0o600);
    await symlink(path, link);
    await writeOutput(await outputFor('-', link), PIECES);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('a\nb\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('goes into a pipe piece by piece', async () => {
    execFileSync('mkfifo', [path]);
    const read = readFile(path, 'utf8');
    await writeOutput(await outputFor('-', path), PIECES);
    expect(await read).toBe('a\nb\n');
    expect((await stat(path)).isFIFO()).toBe(true);
  });
});

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
  await writeFile(path, 'a\n');
  const other = join(folder, 'other.csv');
  await link(path, other);
  for (const output of [path, other]) {
    const message = `${output} is the file itself, which stays as it is`;
    await expect(refusal(path, output)).rejects.toMatchObject({ message, exitCode: 2 });
  }
});

test('another file is, and what is no file', async () => {
  await writeFile(path, 'a\n');
  await refusal(path, join(folder, 'missing.csv'));
  await refusal('/dev/null', '/dev/null');
});

test('standard input may be closed', async () => {
  await outputFor('-', path, 1_000_000);
});
