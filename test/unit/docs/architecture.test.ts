import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

import { snippet } from '../../support/documents/page.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGE = readFileSync(`${ROOT}/docs/architecture.md`, 'utf8');
const named = [...PAGE.matchAll(/`((?:src|test|bench|deploy|scripts)[/\w.-]*)`/g)].map(
  ([, path]) => path!,
);

test('the files and folders that the page names are there', () => {
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(`${ROOT}/${path}`))).toEqual([]);
});

test('every folder of src is on the page', () => {
  const folders = readdirSync(`${ROOT}/src`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `src/${name}`);
  const isNamed = (folder: string): boolean =>
    named.some((path) => path === folder || path.startsWith(`${folder}/`));
  expect(folders.filter((folder) => !isNamed(folder))).toEqual([]);
});

test('the numbers of the picture are those of the list', () => {
  const picture = snippet('architecture.md', 'flowchart LR');
  const numbers = [...picture.matchAll(/\["(\d+) /g)].map(([, number]) => Number(number));
  const steps = [...PAGE.matchAll(/^(\d+)\. \*\*/gm)].map(([, number]) => Number(number));
  expect(steps).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  expect(numbers.sort((a, b) => a - b)).toEqual(steps);
});

test('it is short, apart from the table of files and the glossary', () => {
  const [text, words] = PAGE.split('\n## Words\n');
  const lines = text!.split('\n').filter((line) => !/^\| *\d+ *\| `src\//.test(line));
  expect(words).toBeDefined();
  expect(lines.length).toBeLessThanOrEqual(135);
});
