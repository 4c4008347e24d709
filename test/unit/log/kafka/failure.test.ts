import { expect, test } from '@jest/globals';

import { setupFault, setupFaultAtStart } from '../../../../src/log/kafka/failure.js';

test('a host name that nobody knows ends the start only: later it is a broker that is away', () => {
  const lookup = Object.assign(new Error('getaddrinfo ENOTFOUND kafka'), { code: 'ENOTFOUND' });
  // As kafkajs wraps it.
  const error = new Error('Connection error', { cause: lookup });
  expect(setupFaultAtStart(error)).toBe('KAFKA_BROKERS: getaddrinfo ENOTFOUND kafka');
  expect(setupFault(error)).toBeUndefined();
});

test('a password that the brokers refuse ends the process whenever it is refused', () => {
  const refused = Object.assign(new Error('Authentication failed'), {
    name: 'KafkaJSSASLAuthenticationError',
  });
  for (const fault of [setupFault(refused), setupFaultAtStart(refused)]) {
    expect(fault).toMatch(/^KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD: /);
  }
});
