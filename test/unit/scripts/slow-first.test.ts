import { existsSync, readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

const ROOT = new URL('../../../', import.meta.url);

test('the slow files that tiers begin with are there', () => {
  const source = readFileSync(new URL('scripts/slow-first.mjs', ROOT), 'utf8');
  const names = [...source.matchAll(/^ +'(test\/.*)',$/gm)].map(([, name]) => `${name}.test.ts`);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !existsSync(new URL(name, ROOT)))).toEqual([]);
});
