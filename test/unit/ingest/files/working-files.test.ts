import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { nodeFiles } from '../../../../src/ingest/files/node-files.js';
import type { WorkingFiles } from '../../../../src/ingest/files/working-files.js';
import { MemoryFiles } from '../../../support/disk/memory-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'working-files-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe.each<[string, () => WorkingFiles]>([
  ['on the file system', () => nodeFiles],
  ['in memory', () => new MemoryFiles()],
])('working files %s', (_, open) => {
  let files: WorkingFiles;
  let path: string;
  beforeEach(async () => {
    files = open();
    await files.clear(join(folder, 'spill'));
    path = join(folder, 'spill', 'file');
  });

  async function textAt(offset: number, length: number): Promise<string> {
    const into = new Uint8Array(length);
    await files.read(path, into, offset);
    return Buffer.from(into).toString();
  }

  test('are read where they were written, in parts and over what was there', async () => {
    await files.write(path, Buffer.from('0123456789'), 0);
    await files.write(path, Buffer.from('abc'), 10);
    await files.write(path, Buffer.from('XY'), 4);
    expect(await textAt(0, 13)).toBe('0123XY6789abc');
    expect(await textAt(9, 3)).toBe('9ab');
  });

  test('do not fill up what is not there', async () => {
    await files.write(path, Buffer.from('0123'), 0);
    await expect(textAt(2, 3)).rejects.toThrow('shorter');
    await expect(textAt(4, 1)).rejects.toThrow('shorter');
  });

  test('are gone when they are removed, which may be done again', async () => {
    await files.write(path, Buffer.from('0123'), 0);
    await files.remove(path);
    await files.remove(path);
    await expect(textAt(0, 1)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('are gone when their folder is cleared, and may be made again', async () => {
    await files.write(path, Buffer.from('0123'), 0);
    await files.clear(join(folder, 'spill'));
    await expect(textAt(0, 1)).rejects.toMatchObject({ code: 'ENOENT' });
    await files.write(path, Buffer.from('x'), 0);
    expect(await textAt(0, 1)).toBe('x');
  });

  test('of lines are read as they were replaced and appended to, also by whoever comes next', () => {
    const lines = files.lines(path);
    expect(lines.read()).toBe('');
    lines.replace('one\n');
    lines.append('zwölf\n');
    lines.append('three\n');
    expect(files.lines(path).read()).toBe('one\nzwölf\nthree\n');
    lines.replace('four\n');
    lines.append('five\n');
    const next = files.lines(path);
    expect(next.read()).toBe('four\nfive\n');
    next.replace('six\n');
    expect(files.lines(path).read()).toBe('six\n');
    next.remove();
    expect(files.lines(path).read()).toBe('');
  });
});

test('what is no file of the process stays when their folder is cleared, as does the folder', async () => {
  const spill = join(folder, 'spill');
  mkdirSync(join(spill, 'lost+found'), { recursive: true });
  writeFileSync(join(spill, 'file'), 'x');
  const { ino } = statSync(spill);
  await nodeFiles.clear(spill);
  expect(readdirSync(spill)).toEqual(['lost+found']);
  expect(statSync(spill).ino).toBe(ino);
});

test('what was left of a replacement that did not come to its end is no part of the next', () => {
  const path = join(folder, 'lines');
  writeFileSync(`${path}.new`, 'a long line that a full disk cut off');
  const lines = nodeFiles.lines(path);
  lines.replace('short\n');
  expect(nodeFiles.lines(path).read()).toBe('short\n');
});

test('a line file that could not be replaced is what it was, and takes lines where it ended', () => {
  const disk = new MemoryFiles();
  const lines = disk.lines('lines');
  lines.replace('one\n');
  disk.roomBytes = disk.bytes + 2;
  expect(() => {
    lines.replace('another\n');
  }).toThrow('ENOSPC');
  expect(() => {
    lines.append('two\n');
  }).toThrow('ENOSPC');
  disk.roomBytes = Infinity;
  expect(disk.lines('lines').read()).toMatch(/^one\n/);
  lines.append('two\n');
  expect(disk.lines('lines').read()).toBe('one\ntwo\n');
});
