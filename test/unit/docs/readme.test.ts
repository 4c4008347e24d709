import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const README = readFileSync(`${ROOT}/README.md`, 'utf8');
const PERFORMANCE = readFileSync(`${ROOT}/docs/performance.md`, 'utf8');

test('it is short', () => {
  expect(README.split('\n').length - 1).toBeLessThanOrEqual(120);
});

test('what it links to is there', () => {
  const links = [...README.matchAll(/\]\(([^)#]+)/g)].map(([, path]) => path!);
  expect(links.length).toBeGreaterThan(8);
  expect(links.filter((path) => !existsSync(`${ROOT}/${path}`))).toEqual([]);
});

test('its figures are those of docs/performance.md', () => {
  const table = README.slice(README.indexOf('## Figures'), README.indexOf('## Run it on'));
  // docs/performance.md writes thousands as `1089k`.
  const figures = [...table.matchAll(/\b(?:(\d{1,3}),(\d{3}),000|(\d{3}),000|(\d\.\d{2}x))/g)].map(
    ([, millions, thousands, alone, ratio]) => ratio ?? `${millions ?? ''}${thousands ?? alone}`,
  );
  expect(figures.length).toBeGreaterThan(5);
  expect(figures.filter((figure) => !PERFORMANCE.replaceAll(',', '').includes(figure))).toEqual([]);
});
