import { readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

const PAGE = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8');

test('it is short', () => {
  expect(PAGE.split('\n').length - 1).toBeLessThanOrEqual(150);
});
