import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

import { Kernel } from '../../../src/csv/kernel/kernel.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDERS = ['', 'src/csv/', 'src/csv/kernel/', 'src/csv/kernel/assembly/'];
const README = readFileSync(`${ROOT}/src/csv/README.md`, 'utf8');
/** The texts between backquotes. */
const names = [...README.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!);

test('the files and folders that the page names are there', () => {
  const paths = names.filter((name) => name.endsWith('.ts') || name.includes('/'));
  expect(paths.length).toBeGreaterThan(10);
  const missing = paths.filter(
    (path) => path !== '/console' && !FOLDERS.some((folder) => existsSync(ROOT + folder + path)),
  );
  expect(missing).toEqual([]);
});

test('the calls that the page names are those of the kernel', () => {
  const { calls } = new Kernel();
  const rows = README.split('\n').filter((line) => /^\| \d /.test(line));
  const named = rows.flatMap((row) => {
    const kernelColumn = row.split(' | ')[2]!;
    return [...kernelColumn.matchAll(/`([a-z]+[A-Z]\w*)`/g)].map(([, name]) => name!);
  });
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !(name in calls))).toEqual([]);
});
