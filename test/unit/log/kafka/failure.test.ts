import { expect, test } from '@jest/globals';

import { refusal, unreadable } from '../../../../src/log/kafka/failure.js';

test('a host name that nobody knows is a broker that is away', () => {
  const lookup = Object.assign(new Error('getaddrinfo ENOTFOUND kafka'), { code: 'ENOTFOUND' });
  // kafkajs wraps the error like this.
  const error = new Error('Connection error', { cause: lookup });
  expect(refusal(error)).toBeUndefined();
});

test('what the brokers refuse is told from what they do not answer', () => {
  const refused = Object.assign(new Error('Authentication failed'), {
    name: 'KafkaJSSASLAuthenticationError',
  });
  expect(refusal(refused)).toMatch(/^KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD: /);
});

test.each(['CERT_HAS_EXPIRED', 'HOSTNAME_MISMATCH', 'EPROTO'])('%s is refused', (code) => {
  expect(refusal(Object.assign(new Error('no'), { code }))).toBe(
    `KAFKA_TLS: no secure connection to the brokers: no (${code})`,
  );
});

test('no waiting makes a record readable that kafkajs cannot read', () => {
  const error = Object.assign(new Error('ZSTD compression not implemented'), {
    name: 'KafkaJSNotImplemented',
  });
  expect(unreadable(error)).toBe(
    'the log holds what cannot be read: ZSTD compression not implemented',
  );
  expect(refusal(error)).toBeUndefined();
});
