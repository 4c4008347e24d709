import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

test('every test that is named as showing something is there', () => {
  const page = readFileSync(`${ROOT}/docs/reliability.md`, 'utf8');
  const named = [...page.matchAll(/`((?:unit|engine|process|kafka)\/[a-z/-]+)`/g)].map(
    ([, path]) => path!,
  );
  expect(named.length).toBeGreaterThan(10);
  const missing = named.filter((path) =>
    ['', '.test.ts'].every((end) => !existsSync(`${ROOT}/test/${path}${end}`)),
  );
  expect(missing).toEqual([]);
});
