import { expect, test } from '@jest/globals';
import { pino } from 'pino';

import { ConfigError } from '../../../src/config/config.js';
import { answered } from '../../../src/service/adapters.js';
import { LogUnavailableError } from '../../../src/log/upload-log.js';
import { WarehouseError } from '../../../src/warehouse/warehouse.js';

const logger = pino({ level: 'silent' });
const AWAY = [
  new WarehouseError('connection refused', 'retry'),
  new LogUnavailableError('no answer'),
  new WarehouseError('too many queries', 'retry', 202),
];

/** Returns an error of a TLS connection as Node reports it. */
const tls = (code: string): Error => Object.assign(new Error('tls'), { code });

test('what does not answer is asked again until it does', async () => {
  const errors = [...AWAY];
  const answer = answered(logger, new AbortController().signal, () => {
    const error = errors.shift();
    return error === undefined ? Promise.resolve('here') : Promise.reject(error);
  });
  expect(await answer).toBe('here');
});

test('a signal ends the wait', async () => {
  const stopping = new AbortController();
  const answer = answered(logger, stopping.signal, () => {
    setImmediate(() => {
      stopping.abort();
    });
    return Promise.reject(AWAY[0]!);
  });
  await expect(answer).rejects.toThrow('connection refused');
});

test.each([
  [new WarehouseError('no', 'retry', 516), /^CLICKHOUSE_USER, CLICKHOUSE_PASSWORD: /],
  [
    new WarehouseError('no', 'retry', 497),
    /^CLICKHOUSE_USER: this user is not allowed what the service needs$/,
  ],
  [new WarehouseError('no', 'retry', 164), /^CLICKHOUSE_USER: this user may only read$/],
  [new WarehouseError('no', 'retry', 81), /^CLICKHOUSE_DATABASE: /],
  [
    new WarehouseError('no', 'retry', undefined, { cause: tls('DEPTH_ZERO_SELF_SIGNED_CERT') }),
    /^CLICKHOUSE_URL, CLICKHOUSE_CA_FILE: .*DEPTH_ZERO_SELF_SIGNED_CERT/,
  ],
])('what answers and refuses is not asked again (%#)', async (error, line) => {
  let asked = 0;
  const answer = answered(logger, new AbortController().signal, () => {
    asked++;
    return Promise.reject(error);
  });
  await expect(answer).rejects.toThrow(line);
  await expect(answer).rejects.toThrow(ConfigError);
  expect(asked).toBe(1);
});

test('a mistake of the program is nothing to wait for', async () => {
  const answer = answered(logger, new AbortController().signal, () =>
    Promise.reject(new TypeError('undefined is not a function')),
  );
  await expect(answer).rejects.toThrow(TypeError);
});
