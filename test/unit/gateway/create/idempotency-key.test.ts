import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';

import { idempotencyKey } from '../../../../src/gateway/create/admission.js';

const requestWith = (values?: readonly string[]): IncomingMessage =>
  ({ headersDistinct: { 'idempotency-key': values } }) as unknown as IncomingMessage;

test.each([
  ['a', 'a'],
  ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['"8e03978e"', '8e03978e'],
  ['"a \\"b\\" \\\\c"', 'a "b" \\c'],
  ['two words, one comma', 'two words, one comma'],
  ['k'.repeat(255), 'k'.repeat(255)],
])('%s', (header, key) => {
  expect(idempotencyKey(requestWith([header]))).toBe(key);
});

test.each([
  [['']],
  [['""']],
  [['"open']],
  [['"a"b']],
  [['"a\\b"']],
  [['k'.repeat(256)]],
  [['schlüssel']],
  [['a\tb']],
  [['a', 'a']],
])('%j is 400', (values) => {
  expect(() => idempotencyKey(requestWith(values))).toThrow(
    expect.objectContaining({ status: 400 }),
  );
});

test('no header is no key', () => {
  expect(idempotencyKey(requestWith())).toBeUndefined();
});
