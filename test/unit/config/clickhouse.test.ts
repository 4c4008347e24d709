import { resolve } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { ConfigError } from '../../../src/config/config.js';
import { readConfig } from '../../../src/config/read-config.js';

const URL = 'https://ch.example:8443';

test('a server alone is asked as its default user', () => {
  expect(readConfig({ CLICKHOUSE_URL: 'http://clickhouse:8123/' }).clickhouse).toEqual({
    url: 'http://clickhouse:8123',
    user: 'default',
    password: undefined,
    passwordFile: undefined,
    tls: { ca: undefined, cert: undefined, key: undefined },
    compression: 'none',
    cluster: undefined,
    insertQuorum: undefined,
    timeoutMs: 60_000,
  });
});

test.each([
  [
    'credentials in the URL, apart from it',
    { CLICKHOUSE_URL: 'https://me:p%40ss%3A@ch.example:8443' },
    { url: URL, user: 'me', password: 'p@ss:' },
  ],
  [
    'a user in the URL and a password beside it',
    { CLICKHOUSE_URL: 'https://me@ch.example:8443', CLICKHOUSE_PASSWORD: 'p%40' },
    { url: URL, user: 'me', password: 'p%40' },
  ],
  [
    'a password and certificates in files',
    {
      CLICKHOUSE_URL: URL,
      CLICKHOUSE_USER: 'me',
      CLICKHOUSE_PASSWORD_FILE: 'secret',
      CLICKHOUSE_CA_FILE: '/etc/ca.pem',
      CLICKHOUSE_CERT_FILE: 'me.pem',
      CLICKHOUSE_KEY_FILE: 'me.key',
    },
    {
      user: 'me',
      password: undefined,
      passwordFile: resolve('secret'),
      tls: { ca: '/etc/ca.pem', cert: resolve('me.pem'), key: resolve('me.key') },
    },
  ],
  ['a cluster', { CLICKHOUSE_URL: URL, CLICKHOUSE_CLUSTER: 'eu-1' }, { cluster: 'eu-1' }],
  [
    'a quorum',
    { CLICKHOUSE_URL: URL, CLICKHOUSE_CLUSTER: 'eu', CLICKHOUSE_INSERT_QUORUM: 'auto' },
    { insertQuorum: 'auto' },
  ],
  ['compression', { CLICKHOUSE_URL: URL, CLICKHOUSE_COMPRESSION: 'gzip' }, { compression: 'gzip' }],
  ['a timeout', { CLICKHOUSE_URL: URL, CLICKHOUSE_TIMEOUT_SECONDS: '5' }, { timeoutMs: 5_000 }],
])('%s', (_, env, expected) => {
  expect(readConfig(env).clickhouse).toMatchObject(expected);
});

describe('a contradiction is refused by the names of its variables', () => {
  const withPassword = 'https://me:secret@ch.example';
  test.each([
    [{ CLICKHOUSE_URL: 'http://clickhouse:8123/sales' }, 'CLICKHOUSE_URL has a path'],
    [{ CLICKHOUSE_URL: 'http://clickhouse/?database=x' }, 'CLICKHOUSE_URL has more than'],
    [{ CLICKHOUSE_URL: 'http://me:%zz@clickhouse' }, 'CLICKHOUSE_URL has credentials with a %'],
    [{ CLICKHOUSE_URL: 'https://me@x', CLICKHOUSE_USER: 'you' }, 'CLICKHOUSE_USER is set, but'],
    [
      { CLICKHOUSE_URL: withPassword, CLICKHOUSE_PASSWORD: 'secret' },
      'CLICKHOUSE_PASSWORD and CLICKHOUSE_URL both',
    ],
    [
      { CLICKHOUSE_URL: URL, CLICKHOUSE_PASSWORD: 'secret', CLICKHOUSE_PASSWORD_FILE: 'f' },
      'CLICKHOUSE_PASSWORD and CLICKHOUSE_PASSWORD_FILE both',
    ],
    [{ CLICKHOUSE_URL: 'http://x', CLICKHOUSE_CA_FILE: 'ca' }, 'CLICKHOUSE_CA_FILE is set, but'],
    [{ CLICKHOUSE_PASSWORD: 'secret' }, 'CLICKHOUSE_PASSWORD is set, but CLICKHOUSE_URL is not'],
    [{ CLICKHOUSE_CLUSTER: 'x' }, 'CLICKHOUSE_CLUSTER is set, but CLICKHOUSE_URL is not'],
    [
      { CLICKHOUSE_URL: URL, CLICKHOUSE_INSERT_QUORUM: '2' },
      'CLICKHOUSE_INSERT_QUORUM is set, but CLICKHOUSE_CLUSTER is not',
    ],
    [
      { CLICKHOUSE_URL: URL, CLICKHOUSE_CLUSTER: 'eu', CLICKHOUSE_INSERT_QUORUM: '0' },
      'CLICKHOUSE_INSERT_QUORUM: "0" is not auto',
    ],
    [
      { CLICKHOUSE_URL: URL, CLICKHOUSE_CERT_FILE: 'x' },
      "CLICKHOUSE_CERT_FILE and CLICKHOUSE_KEY_FILE are a client's certificate and its key",
    ],
    [
      { CLICKHOUSE_URL: 'http://x', CLICKHOUSE_KEY_FILE: 'x' },
      'CLICKHOUSE_KEY_FILE is set, but CLICKHOUSE_URL is not an https:// URL',
    ],
    [{ CLICKHOUSE_URL: URL, CLICKHOUSE_CLUSTER: "a'b" }, 'CLICKHOUSE_CLUSTER: "a\'b" is not'],
  ])('%j', (env, message) => {
    const read = (): unknown => readConfig(env);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(message);
    expect(read).not.toThrow('secret');
  });
});
