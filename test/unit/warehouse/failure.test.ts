import { expect, test } from '@jest/globals';

import { failureOf } from '../../../src/warehouse/failure.js';

test.each([
  [33, 'rejected', 'retry', 'retry'], // CANNOT_READ_ALL_DATA
  [32, 'rejected', 'retry', 'retry'], // ATTEMPT_TO_READ_AFTER_EOF
  [117, 'rejected', 'rejected', 'retry'], // INCORRECT_DATA
  [241, 'memory', 'memory', 'memory'], // MEMORY_LIMIT_EXCEEDED
  [60, 'retry', 'retry', 'retry'], // UNKNOWN_TABLE
  [285, 'retry', 'retry', 'retry'], // TOO_FEW_LIVE_REPLICAS
  [319, 'retry', 'retry', 'retry'], // UNKNOWN_STATUS_OF_INSERT
  [undefined, 'retry', 'retry', 'retry'],
] as const)(
  'code %p is %s of an insert, %s on a cluster, %s otherwise',
  (code, insert, on, other) => {
    expect(failureOf(code, 'insert')).toBe(insert);
    expect(failureOf(code, 'distributed insert')).toBe(on);
    expect(failureOf(code, 'other')).toBe(other);
  },
);
