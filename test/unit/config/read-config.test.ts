import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ConfigError } from '../../../src/config/config.js';
import { readConfig } from '../../../src/config/read-config.js';

const scaledOut = { KAFKA_BROKERS: 'kafka:9092', CLICKHOUSE_URL: 'http://clickhouse:8123' };

test('an empty environment gives the embedded service with every role', () => {
  expect(readConfig({})).toEqual({
    roles: new Set(['gateway', 'ingest', 'status']),
    http: { host: '127.0.0.1', port: 8080 },
    opsPort: 9464,
    queryPort: 8123,
    dataDir: resolve('data'),
    tokensFile: resolve('data/tokens.json'),
    logLevel: 'info',
    tracesUrl: undefined,
    kafka: undefined,
    clickhouse: undefined,
    clickhouseDatabase: 'custom_data',
    integratedChannels: [],
    warnings: {
      unusualFactor: 10,
      usualDays: 28,
      fewestUsualDays: 7,
      oldDays: 731,
      completeDays: 3,
    },
    limits: {
      unpackedBytes: 33_554_432,
      uploadDeadlineMs: 60_000,
      logTimeoutMs: 10_000,
      logRetentionMs: 604_800_000,
      openUploadBytes: 67_108_864,
      waitingUploadBytes: 67_108_864,
      batchRows: 250_000,
      batchBytes: 67_108_864,
      batchMs: 1000,
      validationThreads: 1,
      queryConcurrency: 4,
      queryTimeoutMs: 60_000,
      queryMemoryBytes: 1_073_741_824,
      viewStalledMs: 30_000,
      shutdownMs: 30_000,
    },
  });
});

describe('a value is read', () => {
  test.each([
    ['a port', { HTTP_PORT: '0' }, { http: { host: '127.0.0.1', port: 0 } }],
    ['blanks around a value', { OPS_PORT: ' 9000 ' }, { opsPort: 9000 }],
    ['a blank variable as absent', { HTTP_PORT: '', LOG_LEVEL: ' ' }, { logLevel: 'info' }],
    ['an IPv6 host', { HTTP_HOST: '::' }, { http: { host: '::', port: 8080 } }],
    ['no query port', { QUERY_PORT: '' }, { queryPort: undefined }],
    ['any free query port', { QUERY_PORT: '0' }, { queryPort: 0 }],
    [
      'the query port beside a server',
      { ...scaledOut, QUERY_PORT: '8123' },
      { queryPort: undefined },
    ],
    ['a data folder', { DATA_DIR: '/var/lib/cd' }, { tokensFile: '/var/lib/cd/tokens.json' }],
    ['a tokens file', { TOKENS_FILE: '/run/t.json' }, { tokensFile: '/run/t.json' }],
    ['roles', { ...scaledOut, ROLES: 'ingest, status' }, { roles: new Set(['ingest', 'status']) }],
    [
      'brokers',
      { KAFKA_BROKERS: 'a_b:1,10.0.0.1:65535,' },
      { kafka: { brokers: ['a_b:1', '10.0.0.1:65535'], tls: undefined, sasl: undefined } },
    ],
    [
      'channels, in their own case, once',
      { INTEGRATED_CHANNELS: 'Alpha Ads, beta,Alpha Ads' },
      { integratedChannels: ['Alpha Ads', 'beta'] },
    ],
    [
      'a collector, whose name may have an underscore',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel_collector:4318' },
      { tracesUrl: 'http://otel_collector:4318' },
    ],
    [
      'what previews warn of',
      {
        PREVIEW_UNUSUAL_FACTOR: '3',
        PREVIEW_USUAL_DAYS: '14',
        PREVIEW_FEWEST_USUAL_DAYS: '5',
        PREVIEW_OLD_DAYS: '30',
        PREVIEW_COMPLETE_DAYS: '7',
      },
      {
        warnings: {
          unusualFactor: 3,
          usualDays: 14,
          fewestUsualDays: 5,
          oldDays: 30,
          completeDays: 7,
        },
      },
    ],
  ])('%s', (_, env, expected) => {
    expect(readConfig(env)).toMatchObject(expected);
  });

  test('limits come in milliseconds and bytes', () => {
    const { limits } = readConfig({ UPLOAD_DEADLINE_SECONDS: '5', LOG_RETENTION_HOURS: '2' });
    expect(limits).toMatchObject({ uploadDeadlineMs: 5_000, logRetentionMs: 7_200_000 });
    const days = readConfig({ HISTORY_RETENTION_DAYS: '400' }).limits.historyRetentionMs;
    expect(days).toBe(34_560_000_000);
  });

  test('variables of other programs are left alone', () => {
    expect(() => readConfig({ PATH: '/bin', HTTP_PORTS: 'x' })).not.toThrow();
  });
});

describe('a value is refused, naming its variable', () => {
  test.each([
    [{ HTTP_PORT: 'eighty' }, 'HTTP_PORT: "eighty" is not a whole number from 0 to 65535'],
    [{ HTTP_PORT: '65536' }, 'HTTP_PORT: "65536" is not a whole number from 0 to 65535'],
    [{ OPS_PORT: '-1' }, 'OPS_PORT: "-1" is not'],
    [{ QUERY_PORT: 'off' }, 'QUERY_PORT: "off" is not'],
    [{ BATCH_MAX_ROWS: '1e3' }, 'BATCH_MAX_ROWS: "1e3" is not'],
    [{ VALIDATION_THREADS: '0' }, 'VALIDATION_THREADS: "0" is not a whole number from 1 to 64'],
    [{ UPLOAD_MAX_UNPACKED_BYTES: '1024' }, 'UPLOAD_MAX_UNPACKED_BYTES: "1024" is not'],
    [
      { UPLOAD_MAX_UNPACKED_BYTES: '268435457' },
      'UPLOAD_MAX_UNPACKED_BYTES: "268435457" is not a whole number from 1048576 to 268435456',
    ],
    [
      { HISTORY_RETENTION_DAYS: '31' },
      'HISTORY_RETENTION_DAYS: "31" is not a whole number from 32 to 36500',
    ],
    [
      { PREVIEW_UNUSUAL_FACTOR: '1' },
      'PREVIEW_UNUSUAL_FACTOR: "1" is not a whole number from 2 to 1000000',
    ],
    [{ HTTP_HOST: 'http://x' }, 'HTTP_HOST: "http://x" is not a host name or an IP address'],
    [{ ROLES: 'gateway,reader' }, 'ROLES: "gateway,reader" is not a comma-separated list of'],
    [{ ROLES: ',' }, 'ROLES: "" is not'],
    [
      { KAFKA_BROKERS: 'kafka' },
      'KAFKA_BROKERS: "kafka" is not a comma-separated list of host:port',
    ],
    [{ KAFKA_BROKERS: 'kafka:65536' }, 'KAFKA_BROKERS: "kafka:65536" is not'],
    [{ CLICKHOUSE_URL: 'clickhouse:8123' }, 'CLICKHOUSE_URL is not an http:// or https:// URL'],
    [{ CLICKHOUSE_DATABASE: 'a-b' }, 'CLICKHOUSE_DATABASE: "a-b" is not a database name'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: "loud" is not one of trace, debug'],
    [{ INTEGRATED_CHANNELS: 'c'.repeat(257) }, 'INTEGRATED_CHANNELS: '],
  ])('%j', (env, message) => {
    expect(refusal(env)).toContain(message);
  });

  test('a password in a URL is not shown', () => {
    expect(refusal({ CLICKHOUSE_URL: 'ftp://me:secret@host' })).not.toContain('secret');
  });
});

describe('a contradiction is refused, naming its variables', () => {
  const { KAFKA_BROKERS, CLICKHOUSE_URL } = scaledOut;
  test.each([
    [{ ROLES: 'gateway' }, ['KAFKA_BROKERS', 'ROLES=gateway']],
    [{ ROLES: 'gateway', KAFKA_BROKERS }, ['CLICKHOUSE_URL', 'ROLES=gateway']],
    [{ ROLES: 'ingest', CLICKHOUSE_URL }, ['KAFKA_BROKERS', 'ROLES=ingest']],
    [{ HTTP_PORT: '9464' }, ['HTTP_PORT', 'OPS_PORT', '9464']],
    [{ QUERY_PORT: '8080' }, ['HTTP_PORT', 'QUERY_PORT', '8080']],
    [
      { LOG_RETENTION_HOURS: '1', UPLOAD_DEADLINE_SECONDS: '3600' },
      ['LOG_RETENTION_HOURS', 'UPLOAD_DEADLINE_SECONDS'],
    ],
    [
      { HISTORY_RETENTION_DAYS: '40', LOG_RETENTION_HOURS: '480' },
      ['HISTORY_RETENTION_DAYS is not more than twice LOG_RETENTION_HOURS: '],
    ],
    [{ PREVIEW_USUAL_DAYS: '6' }, ['PREVIEW_FEWEST_USUAL_DAYS', 'PREVIEW_USUAL_DAYS']],
  ])('%j', (env, names) => {
    const message = refusal(env);
    for (const name of names) expect(message).toContain(name);
  });

  test.each([
    ['any free port twice', { HTTP_PORT: '0', OPS_PORT: '0', QUERY_PORT: '0' }],
    [
      'the port of a gateway that runs elsewhere',
      { ...scaledOut, ROLES: 'ingest', OPS_PORT: '8080' },
    ],
    ['a log less than half as long', { HISTORY_RETENTION_DAYS: '40', LOG_RETENTION_HOURS: '479' }],
    ['the port of a query interface that is off', { ...scaledOut, OPS_PORT: '8123' }],
    ['Kafka beside the embedded warehouse', { KAFKA_BROKERS }],
    ['ClickHouse behind the embedded log', { CLICKHOUSE_URL }],
  ])('%s is none', (_, env) => {
    expect(() => readConfig(env)).not.toThrow();
  });
});

function refusal(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).not.toContain('\n');
    return error.message;
  }
  throw new Error('the configuration was accepted');
}
