// The whole configuration, read from the environment once, before anything listens.

import type { WarningThresholds } from '../domain/warning-thresholds.js';

/**
 * The configuration is unknown or contradicts itself, or what it names answers and refuses, and will
 * refuse until one of the two changes. The message is one line that says what to change.
 */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
}

export const ROLES = ['gateway', 'ingest', 'status'] as const;
export type Role = (typeof ROLES)[number];

export interface Config {
  readonly roles: ReadonlySet<Role>;
  readonly http: { readonly host: string; readonly port: number };
  readonly opsPort: number;
  /** Undefined: the query interface is off. */
  readonly queryPort: number | undefined;
  readonly dataDir: string;
  readonly tokensFile: string;
  readonly logLevel: string;
  /** The collector that spans are sent to. Undefined: to none. */
  readonly tracesUrl: string | undefined;
  /** Undefined: the log is LMDB in the data folder. */
  readonly kafka: KafkaConfig | undefined;
  /** Undefined: the warehouse is chDB in the data folder. */
  readonly clickhouse: ClickHouseConfig | undefined;
  readonly clickhouseDatabase: string;
  readonly integratedChannels: readonly string[];
  readonly warnings: WarningThresholds;
  readonly limits: Limits;
}

export const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
export const KAFKA_COMPRESSIONS = ['lz4', 'gzip', 'none'] as const;
export const CLICKHOUSE_COMPRESSIONS = ['none', 'gzip'] as const;

/** Paths of PEM files. */
export interface TlsFiles {
  /** Certificates to trust. Undefined: Node's and those of NODE_EXTRA_CA_CERTS. */
  readonly ca: string | undefined;
  /** The client's certificate and its key: both or none. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** How to reach the Kafka brokers, and what to create on them. */
export interface KafkaConfig {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  /** By which name brokers know this client, for quotas and logs. */
  readonly clientId: string;
  /** Undefined: no TLS. */
  readonly tls: TlsFiles | undefined;
  /** Undefined: the brokers ask for no credentials. */
  readonly sasl:
    | {
        readonly mechanism: (typeof SASL_MECHANISMS)[number];
        readonly username: string;
        /** Undefined: it stands in `passwordFile`. */
        readonly password: string | undefined;
        readonly passwordFile: string | undefined;
      }
    | undefined;
  readonly compression: (typeof KAFKA_COMPRESSIONS)[number];
  /** Partitions of the uploads topic, if the service creates it. */
  readonly partitions: number;
  /** Of topics that the service creates. Undefined: the brokers' default. */
  readonly replicationFactor: number | undefined;
}

/** How to reach a ClickHouse server. */
export interface ClickHouseConfig {
  /** Scheme, host and port. */
  readonly url: string;
  readonly user: string;
  /** Undefined: it stands in `passwordFile`, or the user has none. */
  readonly password: string | undefined;
  readonly passwordFile: string | undefined;
  readonly tls: TlsFiles;
  /** How inserts are compressed. */
  readonly compression: (typeof CLICKHOUSE_COMPRESSIONS)[number];
  /**
   * How many replicas must have an insert before it counts, or `auto` for the majority. Undefined:
   * one.
   */
  readonly insertQuorum: string | undefined;
  /** Undefined: a single server. Otherwise the name under which its servers know the cluster. */
  readonly cluster: string | undefined;
  /** How long a statement may run, or a connection stay silent, before it is tried again. */
  readonly timeoutMs: number;
}

export interface Limits {
  /** A self-serve file unpacked from gzip. */
  readonly unpackedBytes: number;
  /** How long one upload may take from its first byte to its last. */
  readonly uploadDeadlineMs: number;
  /** How long the log may take to acknowledge before the client is answered 503. */
  readonly logTimeoutMs: number;
  /**
   * How long a record stays in the embedded log after it is no longer needed; in Kafka, how long it
   * stays at least.
   */
  readonly logRetentionMs: number;
  /**
   * How long the history keeps ended requests and the audit. Older requests are unknown. Undefined:
   * for ever.
   */
  readonly historyRetentionMs: number | undefined;
  /** Memory for uploads whose end has not been read. Above it their bytes go to disk. */
  readonly openUploadBytes: number;
  /** Bytes of complete uploads that wait for validation or the warehouse before consumption pauses. */
  readonly waitingUploadBytes: number;
  /** A batch is written at so many rows, at so many bytes, or so long after its first upload. */
  readonly batchRows: number;
  readonly batchBytes: number;
  readonly batchMs: number;
  /** Worker threads that parse, validate and encode. */
  readonly validationThreads: number;
  readonly queryConcurrency: number;
  readonly queryTimeoutMs: number;
  /** Memory of one query. */
  readonly queryMemoryBytes: number;
  /** Of one account, by each gateway. Undefined: no limit. */
  readonly uploadsPerMinute: number | undefined;
  readonly readsPerMinute: number | undefined;
  /**
   * How long a gateway's view of the status topic may stand still, with more to read, before the
   * gateway is not ready.
   */
  readonly viewStalledMs: number;
  /** How long a shutdown waits for what is in flight. */
  readonly shutdownMs: number;
}
