import { type ClickHouseConfig, ConfigError } from './config.js';
import type { Environment } from './environment.js';
import { refuseAny } from './refuse-any.js';
import { tlsFilesOf } from './tls-files.js';

/** The user that ClickHouse assumes when none is given. */
const DEFAULT_USER = 'default';
const CREDENTIALS = ['CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD', 'CLICKHOUSE_PASSWORD_FILE'] as const;
const FILES = ['CLICKHOUSE_CA_FILE', 'CLICKHOUSE_CERT_FILE', 'CLICKHOUSE_KEY_FILE'] as const;
const REPLICAS = ['CLICKHOUSE_CLUSTER', 'CLICKHOUSE_INSERT_QUORUM'] as const;

/**
 * The server's address without its credentials, which may stand in the URL or in variables of their
 * own. Undefined: no server is configured.
 *
 * @throws ConfigError
 */
export function clickhouseOf(environment: Environment): ClickHouseConfig | undefined {
  const {
    CLICKHOUSE_URL: url,
    CLICKHOUSE_USER: user,
    CLICKHOUSE_PASSWORD: password,
    CLICKHOUSE_PASSWORD_FILE: passwordFile,
  } = environment;
  if (url === undefined) {
    const all = [...CREDENTIALS, ...FILES, ...REPLICAS];
    refuseAny(environment, all, 'CLICKHOUSE_URL is not: there is no server to use it with');
    return undefined;
  }
  const address = new URL(url);
  refuseContradictions(environment, address);
  return {
    url: address.origin,
    user: user ?? decoded(address.username) ?? DEFAULT_USER,
    password: password ?? decoded(address.password),
    passwordFile,
    tls: tlsFilesOf('CLICKHOUSE', environment),
    compression: environment.CLICKHOUSE_COMPRESSION,
    cluster: environment.CLICKHOUSE_CLUSTER,
    insertQuorum: environment.CLICKHOUSE_INSERT_QUORUM,
    timeoutMs: environment.CLICKHOUSE_TIMEOUT_SECONDS * 1_000,
  };
}

/** A part of the URL; undefined when it is not there. */
function decoded(part: string): string | undefined {
  try {
    return part === '' ? undefined : decodeURIComponent(part);
  } catch {
    throw new ConfigError('CLICKHOUSE_URL has credentials with a % that encodes nothing');
  }
}

function refuseContradictions(environment: Environment, address: URL): void {
  if (address.pathname !== '/') {
    throw new ConfigError(
      'CLICKHOUSE_URL has a path; the database is named by CLICKHOUSE_DATABASE alone',
    );
  }
  if (address.search !== '' || address.hash !== '') {
    throw new ConfigError('CLICKHOUSE_URL has more than a scheme, credentials, a host and a port');
  }
  if (address.username !== '') {
    refuseAny(environment, ['CLICKHOUSE_USER'], 'CLICKHOUSE_URL names a user too');
  }
  const passwords = [
    ['CLICKHOUSE_PASSWORD', environment.CLICKHOUSE_PASSWORD !== undefined],
    ['CLICKHOUSE_PASSWORD_FILE', environment.CLICKHOUSE_PASSWORD_FILE !== undefined],
    ['CLICKHOUSE_URL', address.password !== ''],
  ] as const;
  const [first, second] = passwords.filter(([, isSet]) => isSet).map(([name]) => name);
  if (first !== undefined && second !== undefined) {
    throw new ConfigError(`${first} and ${second} both hold a password; one of them is enough`);
  }
  if (address.protocol !== 'https:') {
    refuseAny(environment, FILES, 'CLICKHOUSE_URL is not an https:// URL');
  }
  if (environment.CLICKHOUSE_CLUSTER === undefined) {
    refuseAny(environment, REPLICAS, 'CLICKHOUSE_CLUSTER is not: there are no replicas');
  }
}
