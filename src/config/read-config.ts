import { join, resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { DAY_MS } from '../domain/days.js';
import { ConfigError, ROLES, type Config, type Limits } from './config.js';
import { clickhouseOf } from './clickhouse.js';
import { Environment } from './environment.js';
import { kafkaOf } from './kafka.js';

/**
 * Reads and validates the configuration. A blank variable counts as absent, except `QUERY_PORT`,
 * where blank turns the query interface off. Paths come back absolute.
 *
 * @throws ConfigError at the first rule that does not hold
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const environment = plainToInstance(Environment, variablesIn(env));
  const [first] = validateSync(environment, { stopAtFirstError: true });
  if (first !== undefined) {
    throw new ConfigError(
      Object.values(first.constraints ?? {})[0] ?? `${first.property} is invalid`,
    );
  }
  const config = configOf(environment);
  refuseContradictions(config);
  return config;
}

/** Those that are the service's own and not blank. */
function variablesIn(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  // Also those without a default are fields of it.
  const known = new Environment();
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !Object.hasOwn(known, name)) continue;
    const text = value.trim();
    if (text !== '' || name === 'QUERY_PORT') kept[name] = text;
  }
  return kept;
}

function configOf(environment: Environment): Config {
  const dataDir = resolve(environment.DATA_DIR);
  const clickhouse = clickhouseOf(environment);
  const queryOff = environment.QUERY_PORT === '' || clickhouse !== undefined;
  return {
    roles: new Set(environment.ROLES),
    http: { host: environment.HTTP_HOST, port: environment.HTTP_PORT },
    opsPort: environment.OPS_PORT,
    queryPort: queryOff ? undefined : Number(environment.QUERY_PORT),
    dataDir,
    tokensFile: environment.TOKENS_FILE ?? join(dataDir, 'tokens.json'),
    logLevel: environment.LOG_LEVEL,
    tracesUrl: environment.OTEL_EXPORTER_OTLP_ENDPOINT,
    kafka: kafkaOf(environment),
    clickhouse,
    clickhouseDatabase: environment.CLICKHOUSE_DATABASE,
    integratedChannels: [...new Set(environment.INTEGRATED_CHANNELS)],
    warnings: {
      unusualFactor: environment.PREVIEW_UNUSUAL_FACTOR,
      usualDays: environment.PREVIEW_USUAL_DAYS,
      fewestUsualDays: environment.PREVIEW_FEWEST_USUAL_DAYS,
      oldDays: environment.PREVIEW_OLD_DAYS,
      completeDays: environment.PREVIEW_COMPLETE_DAYS,
    },
    limits: limitsOf(environment),
  };
}

function limitsOf(environment: Environment): Limits {
  return {
    unpackedBytes: environment.UPLOAD_MAX_UNPACKED_BYTES,
    uploadDeadlineMs: environment.UPLOAD_DEADLINE_SECONDS * 1_000,
    logTimeoutMs: environment.LOG_TIMEOUT_SECONDS * 1_000,
    logRetentionMs: environment.LOG_RETENTION_HOURS * 3_600_000,
    historyRetentionMs: millisecondsOfDays(environment.HISTORY_RETENTION_DAYS),
    openUploadBytes: environment.OPEN_UPLOADS_MAX_BYTES,
    waitingUploadBytes: environment.WAITING_UPLOADS_MAX_BYTES,
    batchRows: environment.BATCH_MAX_ROWS,
    batchBytes: environment.BATCH_MAX_BYTES,
    batchMs: environment.BATCH_MAX_MS,
    validationThreads: environment.VALIDATION_THREADS,
    queryConcurrency: environment.QUERY_MAX_CONCURRENT,
    queryTimeoutMs: environment.QUERY_MAX_SECONDS * 1_000,
    queryMemoryBytes: environment.QUERY_MAX_MEMORY_BYTES,
    uploadsPerMinute: environment.RATE_LIMIT_UPLOADS_PER_MINUTE,
    readsPerMinute: environment.RATE_LIMIT_READS_PER_MINUTE,
    viewStalledMs: environment.STATUS_VIEW_STALLED_SECONDS * 1_000,
    shutdownMs: environment.SHUTDOWN_SECONDS * 1_000,
  };
}

function millisecondsOfDays(days: number | undefined): number | undefined {
  return days === undefined ? undefined : days * DAY_MS;
}

function refuseContradictions(config: Config): void {
  const { roles, kafka, clickhouse, limits, warnings } = config;
  if (roles.size < ROLES.length) {
    // LMDB and chDB live in one process: a role in another process would see neither.
    if (kafka === undefined) throw fewerRolesWithout('KAFKA_BROKERS', config);
    if (clickhouse === undefined) throw fewerRolesWithout('CLICKHOUSE_URL', config);
  }
  if (limits.uploadDeadlineMs * 2 > limits.logRetentionMs) {
    throw new ConfigError(
      'LOG_RETENTION_HOURS is less than twice UPLOAD_DEADLINE_SECONDS: an upload could lose its first record',
    );
  }
  if ((limits.historyRetentionMs ?? Infinity) <= 2 * limits.logRetentionMs) {
    throw new ConfigError(
      'HISTORY_RETENTION_DAYS is not more than twice LOG_RETENTION_HOURS: a replay could bring deleted requests back',
    );
  }
  if (warnings.fewestUsualDays > warnings.usualDays) {
    throw new ConfigError(
      'PREVIEW_FEWEST_USUAL_DAYS is more than PREVIEW_USUAL_DAYS: no total would ever be unusual',
    );
  }
  refuseSharedPorts(config);
}

function fewerRolesWithout(variable: string, { roles }: Config): ConfigError {
  return new ConfigError(
    `${variable} is not set, but ROLES=${[...roles].join(',')} needs it: without all roles in one process, both KAFKA_BROKERS and CLICKHOUSE_URL are needed`,
  );
}

/** Only ports on which this process listens. 0 is left out: it is a different port each time. */
function refuseSharedPorts({ roles, http, opsPort, queryPort }: Config): void {
  const taken = new Map<number, string>();
  const ports = [
    ['HTTP_PORT', roles.has('gateway') ? http.port : 0],
    ['OPS_PORT', opsPort],
    ['QUERY_PORT', queryPort ?? 0],
  ] as const;
  for (const [variable, port] of ports) {
    const other = taken.get(port);
    if (port !== 0 && other !== undefined) {
      throw new ConfigError(
        `${other} and ${variable} are both ${port}; each needs a port of its own`,
      );
    }
    taken.set(port, variable);
  }
}
