import { expect, test } from '@jest/globals';

import { failureOf } from '../../../src/warehouse/failure.js';

test.each([
  [33, 'rejected', 'retry'], // CANNOT_READ_ALL_DATA
  [32, 'rejected', 'retry'], // ATTEMPT_TO_READ_AFTER_EOF
  [117, 'rejected', 'retry'], // INCORRECT_DATA
  [241, 'memory', 'memory'], // MEMORY_LIMIT_EXCEEDED
  [60, 'retry', 'retry'], // UNKNOWN_TABLE
  [285, 'retry', 'retry'], // TOO_FEW_LIVE_REPLICAS
  [319, 'retry', 'retry'], // UNKNOWN_STATUS_OF_INSERT
  [undefined, 'retry', 'retry'],
] as const)('code %p is %s of an insert and %s of any other statement', (code, insert, other) => {
  expect(failureOf(code, 'insert')).toBe(insert);
  expect(failureOf(code, 'other')).toBe(other);
});
