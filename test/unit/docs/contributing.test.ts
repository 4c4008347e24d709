import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGE = readFileSync(`${ROOT}/CONTRIBUTING.md`, 'utf8');
const named = [...PAGE.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!);

test('the files and folders that the page names are there', () => {
  const paths = named.filter((name) => /^(?:src|test|docs|deploy|eslint)[/.]/.test(name));
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((path) => !existsSync(`${ROOT}/${path}`))).toEqual([]);
});

test('the commands that the page names are there, every tier of the tests among them', () => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
    scripts: Record<string, string>;
  };
  const commands = named.flatMap((name) => /^npm run (\S+)/.exec(name)?.[1] ?? []);
  expect(commands.filter((command) => !(command in scripts))).toEqual([]);
  const tiers = Object.keys(scripts).filter((name) => name.startsWith('test:'));
  expect(tiers.filter((tier) => !commands.includes(tier))).toEqual([]);
});

test('the page is one page', () => {
  expect(PAGE.split('\n').length).toBeLessThan(80);
});
