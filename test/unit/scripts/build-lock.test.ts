import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

interface Functions {
  readonly withLock: <T>(path: string, work: () => T) => Promise<T>;
}
const { withLock } = (await import(
  new URL('../../../scripts/lock.mjs', import.meta.url).href
)) as Functions;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'custom-data-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const ended = 2 ** 22 + 1;

test.each([
  [
    'of a process that has ended',
    (): void => {
      writeFileSync(path, `${ended}`);
    },
  ],
  [
    'of a process that had the number of this one',
    (): void => {
      writeFileSync(path, `${process.pid}`);
    },
  ],
  [
    'that a full disk has left empty',
    (): void => {
      writeFileSync(path, '');
      utimesSync(path, 0, 0);
    },
  ],
])('a lock %s holds nobody up', async (_, leave) => {
  leave();
  expect(await withLock(path, () => readdirSync(folder))).toEqual(['lock']);
  expect(readdirSync(folder)).toEqual([]);
});

test('one process at a time holds it', async () => {
  writeFileSync(path, `${process.ppid}`);
  let isHeld = false;
  const work = withLock(path, () => (isHeld = true));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(isHeld).toBe(false);
  rmSync(path);
  expect(await work).toBe(true);
});
