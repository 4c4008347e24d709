import { resolve } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { ConfigError } from '../../../src/config/config.js';
import { readConfig } from '../../../src/config/read-config.js';

const KAFKA_BROKERS = 'kafka:9092';
const SASL = { KAFKA_BROKERS, KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'me' };

test('brokers alone are talked to openly, and get topics by their own defaults', () => {
  expect(readConfig({ KAFKA_BROKERS }).kafka).toEqual({
    brokers: ['kafka:9092'],
    clientId: 'custom-data',
    tls: undefined,
    sasl: undefined,
    compression: 'lz4',
    partitions: 8,
    replicationFactor: undefined,
  });
});

test.each([
  [
    'encryption',
    { KAFKA_BROKERS, KAFKA_TLS: 'true' },
    { tls: { ca: undefined, cert: undefined, key: undefined } },
  ],
  [
    'certificates',
    {
      KAFKA_BROKERS,
      KAFKA_TLS: 'true',
      KAFKA_CA_FILE: '/etc/ca.pem',
      KAFKA_CERT_FILE: 'me.pem',
      KAFKA_KEY_FILE: 'me.key',
    },
    { tls: { ca: '/etc/ca.pem', cert: resolve('me.pem'), key: resolve('me.key') } },
  ],
  ['a name', { KAFKA_BROKERS, KAFKA_CLIENT_ID: 'uploads.eu' }, { clientId: 'uploads.eu' }],
  ['compression', { KAFKA_BROKERS, KAFKA_COMPRESSION: 'none' }, { compression: 'none' }],
  [
    'what topics are created with',
    { KAFKA_BROKERS, KAFKA_PARTITIONS: '32', KAFKA_REPLICATION_FACTOR: '3' },
    { partitions: 32, replicationFactor: 3 },
  ],
  [
    'a password',
    { ...SASL, KAFKA_SASL_PASSWORD: 'p%40' },
    { sasl: { mechanism: 'plain', username: 'me', password: 'p%40', passwordFile: undefined } },
  ],
  [
    'a password in a file',
    { ...SASL, KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_PASSWORD_FILE: 'secret' },
    { sasl: { mechanism: 'scram-sha-512', password: undefined, passwordFile: resolve('secret') } },
  ],
])('%s', (_, env, expected) => {
  expect(readConfig(env).kafka).toMatchObject(expected);
});

describe('is refused, naming the variable', () => {
  test.each([
    [{ KAFKA_BROKERS, KAFKA_TLS: 'yes' }, 'KAFKA_TLS: "yes" is not true or false'],
    [{ KAFKA_BROKERS, KAFKA_CA_FILE: 'x' }, 'KAFKA_CA_FILE is set, but KAFKA_TLS is not true'],
    [{ KAFKA_KEY_FILE: 'x' }, 'KAFKA_KEY_FILE is set, but KAFKA_BROKERS is not'],
    [
      { KAFKA_BROKERS, KAFKA_TLS: 'true', KAFKA_CERT_FILE: 'x' },
      "KAFKA_CERT_FILE and KAFKA_KEY_FILE are a client's certificate and its key",
    ],
    [{ KAFKA_BROKERS, KAFKA_CLIENT_ID: 'a b' }, 'KAFKA_CLIENT_ID: "a b" is not 1 to 64 letters'],
    [{ KAFKA_BROKERS, KAFKA_COMPRESSION: 'zstd' }, 'KAFKA_COMPRESSION: "zstd" is not one of lz4'],
    [{ KAFKA_BROKERS, KAFKA_PARTITIONS: '0' }, 'KAFKA_PARTITIONS: "0" is not a whole number'],
    [{ KAFKA_BROKERS, KAFKA_REPLICATION_FACTOR: 'all' }, 'KAFKA_REPLICATION_FACTOR: "all" is not'],
    [{ KAFKA_BROKERS: '[::1]:9092' }, 'KAFKA_BROKERS: "[::1]:9092" is not a comma-separated list'],
    [{ ...SASL, KAFKA_SASL_MECHANISM: 'gssapi' }, 'KAFKA_SASL_MECHANISM: "gssapi" is not one of'],
    [{ KAFKA_SASL_USERNAME: 'me' }, 'KAFKA_SASL_USERNAME is set, but KAFKA_BROKERS is not'],
    [
      { KAFKA_BROKERS, KAFKA_SASL_PASSWORD: 'x' },
      'KAFKA_SASL_PASSWORD is set, but KAFKA_SASL_MECHANISM is not',
    ],
    [
      { KAFKA_BROKERS, KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_PASSWORD: 'x' },
      'KAFKA_SASL_USERNAME is not set, but KAFKA_SASL_MECHANISM is',
    ],
    [SASL, 'exactly one of KAFKA_SASL_PASSWORD and KAFKA_SASL_PASSWORD_FILE'],
    [
      { ...SASL, KAFKA_SASL_PASSWORD: 'x', KAFKA_SASL_PASSWORD_FILE: 'y' },
      'exactly one of KAFKA_SASL_PASSWORD and KAFKA_SASL_PASSWORD_FILE',
    ],
  ])('%j', (env, message) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(message);
  });
});
