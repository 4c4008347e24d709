import { ConfigError } from '../config/config.js';
import { isTlsFault } from '../config/configured-files.js';
import { WarehouseError } from './warehouse.js';

/** A server's refusal of a user or of a kind of request, by ClickHouse's code. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [81, 'CLICKHOUSE_DATABASE: the ClickHouse server has no such database'], // UNKNOWN_DATABASE
  [115, 'CLICKHOUSE_URL: the ClickHouse server is too old'], // UNKNOWN_SETTING
  [164, 'CLICKHOUSE_USER: this user may only read'], // READONLY
  [192, 'CLICKHOUSE_USER: the ClickHouse server does not know this user'], // UNKNOWN_USER
  [193, 'CLICKHOUSE_PASSWORD: the ClickHouse server refuses this password'], // WRONG_PASSWORD
  [194, 'CLICKHOUSE_PASSWORD: the ClickHouse server asks for one'], // REQUIRED_PASSWORD
  [195, 'CLICKHOUSE_USER: this user may not come from this address'], // IP_ADDRESS_NOT_ALLOWED
  [291, 'CLICKHOUSE_USER: this user may not use CLICKHOUSE_DATABASE'], // DATABASE_ACCESS_DENIED
  [452, 'CLICKHOUSE_USER: this user may not set what the service needs'], // SETTING_CONSTRAINT_VIOLATION
  [497, 'CLICKHOUSE_USER: this user is not allowed what the service needs'], // ACCESS_DENIED
  [516, 'CLICKHOUSE_USER, CLICKHOUSE_PASSWORD: the ClickHouse server does not accept them'], // AUTHENTICATION_FAILED
  [720, 'CLICKHOUSE_USER: this user has expired'], // USER_EXPIRED
]);

/**
 * What a server will refuse again until somebody changes the configuration or the server; undefined
 * for everything else. It ends a start. A running process waits, because passwords, rights and
 * certificates are changed under running processes.
 */
export function refusalOf(error: unknown): ConfigError | undefined {
  if (!(error instanceof WarehouseError)) return undefined;
  const refusal = error.code === undefined ? notSecure(error.cause) : REFUSALS.get(error.code);
  return refusal === undefined ? undefined : new ConfigError(refusal, { cause: error });
}

function notSecure(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code } = cause as NodeJS.ErrnoException;
  if (!isTlsFault(code)) return undefined;
  return `CLICKHOUSE_URL, CLICKHOUSE_CA_FILE: no secure connection to the ClickHouse server (${code})`;
}
