import 'reflect-metadata';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsIn,
  IsOptional,
  IsUrl,
  Matches,
  MaxLength,
  ValidateIf,
} from 'class-validator';
import {
  CLICKHOUSE_COMPRESSIONS,
  KAFKA_COMPRESSIONS,
  ROLES,
  SASL_MECHANISMS,
  type Role,
} from './config.js';
import { List, must, Path, secretly, Whole } from './rules.js';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)$/;
const PORT = /[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5]/.source;
/** No IPv6 addresses: kafkajs takes what follows the first colon for the port. */
const BROKER = new RegExp(`^[A-Za-z0-9_.-]+:(?:${PORT})$`);
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const CLUSTER = /^[A-Za-z0-9_.-]{1,64}$/;

const MIB = 1_048_576;
const GIB = 1_024 * MIB;
/** Ten days: far within the 2^31 milliseconds that a timer can hold. */
const LONGEST_SECONDS = 864_000;

/**
 * The environment variables, by their own names, with their defaults and rules. Units stand in the
 * names; what each limit bounds is said at `Limits`.
 */
export class Environment {
  @Matches(HOST, must('a host name or an IP address'))
  HTTP_HOST = '127.0.0.1';

  @Whole(0, 65_535)
  HTTP_PORT = 8080;

  @Whole(0, 65_535)
  OPS_PORT = 9464;

  /** The empty string: off. */
  @ValidateIf((_, value) => value !== '')
  @Whole(0, 65_535)
  QUERY_PORT: number | '' = 8123;

  DATA_DIR = './data';

  @Path()
  TOKENS_FILE?: string;

  @List()
  @ArrayNotEmpty(must(`a comma-separated list of ${ROLES.join(', ')}`))
  @IsIn(ROLES, { each: true, ...must(`a comma-separated list of ${ROLES.join(', ')}`) })
  ROLES: Role[] = [...ROLES];

  @List()
  @IsOptional()
  @ArrayNotEmpty(must('a comma-separated list of host:port'))
  @Matches(BROKER, { each: true, ...must('a comma-separated list of host:port') })
  KAFKA_BROKERS?: string[];

  @Matches(/^[A-Za-z0-9._-]{1,64}$/, must('1 to 64 letters, digits, dots, hyphens and underscores'))
  KAFKA_CLIENT_ID = 'custom-data';

  @IsIn(['true', 'false'], must('true or false'))
  KAFKA_TLS = 'false';

  @Path()
  KAFKA_CA_FILE?: string;

  @Path()
  KAFKA_CERT_FILE?: string;

  @Path()
  KAFKA_KEY_FILE?: string;

  @IsOptional()
  @IsIn(SASL_MECHANISMS, must(`one of ${SASL_MECHANISMS.join(', ')}`))
  KAFKA_SASL_MECHANISM?: (typeof SASL_MECHANISMS)[number];

  KAFKA_SASL_USERNAME?: string;

  KAFKA_SASL_PASSWORD?: string;

  @Path()
  KAFKA_SASL_PASSWORD_FILE?: string;

  @IsIn(KAFKA_COMPRESSIONS, must(`one of ${KAFKA_COMPRESSIONS.join(', ')}`))
  KAFKA_COMPRESSION: (typeof KAFKA_COMPRESSIONS)[number] = 'lz4';

  @Whole(1, 10_000)
  KAFKA_PARTITIONS = 8;

  @IsOptional()
  @Whole(1, 100)
  KAFKA_REPLICATION_FACTOR?: number;

  @IsOptional()
  @IsUrl(
    {
      protocols: ['http', 'https'],
      require_protocol: true,
      require_tld: false,
      allow_underscores: true,
    },
    secretly('an http:// or https:// URL of a ClickHouse server'),
  )
  CLICKHOUSE_URL?: string;

  @Matches(IDENTIFIER, must('a database name of letters, digits and underscores'))
  CLICKHOUSE_DATABASE = 'custom_data';

  CLICKHOUSE_USER?: string;

  CLICKHOUSE_PASSWORD?: string;

  @Path()
  CLICKHOUSE_PASSWORD_FILE?: string;

  @Path()
  CLICKHOUSE_CA_FILE?: string;

  @Path()
  CLICKHOUSE_CERT_FILE?: string;

  @Path()
  CLICKHOUSE_KEY_FILE?: string;

  @IsIn(CLICKHOUSE_COMPRESSIONS, must(`one of ${CLICKHOUSE_COMPRESSIONS.join(', ')}`))
  CLICKHOUSE_COMPRESSION: (typeof CLICKHOUSE_COMPRESSIONS)[number] = 'none';

  @IsOptional()
  @Matches(CLUSTER, must('a cluster name of letters, digits, underscores, dots and hyphens'))
  CLICKHOUSE_CLUSTER?: string;

  @IsOptional()
  @Matches(/^(?:auto|[1-9]\d?)$/, must('auto, or how many replicas: 1 to 99'))
  CLICKHOUSE_INSERT_QUORUM?: string;

  @Whole(1, 3_600)
  CLICKHOUSE_TIMEOUT_SECONDS = 60;

  @List()
  @ArrayMaxSize(1_000, must('a list of at most 1000 channels'))
  @MaxLength(256, { each: true, ...must('a list of channels of at most 256 characters each') })
  INTEGRATED_CHANNELS: string[] = [];

  @IsIn(LOG_LEVELS, must(`one of ${LOG_LEVELS.join(', ')}`))
  LOG_LEVEL = 'info';

  @IsOptional()
  @IsUrl(
    {
      protocols: ['http', 'https'],
      require_protocol: true,
      require_tld: false,
      allow_underscores: true,
    },
    must('an http:// or https:// URL of a collector of traces'),
  )
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  /**
   * At least 1 MiB, because a plain file may have it. At most 256 MiB: the worst file, with a key
   * in every short row, takes nine times its size, and WebAssembly has 4 GiB.
   */
  @Whole(MIB, 256 * MIB)
  UPLOAD_MAX_UNPACKED_BYTES = 32 * MIB;

  @Whole(1, LONGEST_SECONDS)
  UPLOAD_DEADLINE_SECONDS = 60;

  @Whole(1, LONGEST_SECONDS)
  LOG_TIMEOUT_SECONDS = 10;

  @Whole(1, 87_600)
  LOG_RETENTION_HOURS = 168;

  /** At least 32, because metrics count the last 30 days, from the beginning of a day. */
  @IsOptional()
  @Whole(32, 36_500)
  HISTORY_RETENTION_DAYS?: number;

  @Whole(MIB, 64 * GIB)
  OPEN_UPLOADS_MAX_BYTES = 64 * MIB;

  @Whole(MIB, 64 * GIB)
  WAITING_UPLOADS_MAX_BYTES = 64 * MIB;

  @Whole(1, 10_000_000)
  BATCH_MAX_ROWS = 250_000;

  @Whole(1, GIB)
  BATCH_MAX_BYTES = 64 * MIB;

  @Whole(0, 60_000)
  BATCH_MAX_MS = 1000;

  @Whole(1, 64)
  VALIDATION_THREADS = 1;

  @Whole(1, 1_000)
  QUERY_MAX_CONCURRENT = 4;

  @Whole(1, LONGEST_SECONDS)
  QUERY_MAX_SECONDS = 60;

  /** Below 256 MiB a report over a few million rows would be refused. */
  @Whole(256 * MIB, 1_048_576 * MIB)
  QUERY_MAX_MEMORY_BYTES = 1024 * MIB;

  @IsOptional()
  @Whole(1, 1_000_000)
  RATE_LIMIT_UPLOADS_PER_MINUTE?: number;

  @IsOptional()
  @Whole(1, 1_000_000)
  RATE_LIMIT_READS_PER_MINUTE?: number;

  @Whole(2, 1_000_000)
  PREVIEW_UNUSUAL_FACTOR = 10;

  @Whole(1, 366)
  PREVIEW_USUAL_DAYS = 28;

  @Whole(1, 366)
  PREVIEW_FEWEST_USUAL_DAYS = 7;

  /** Two years. */
  @Whole(1, 100_000)
  PREVIEW_OLD_DAYS = 731;

  @Whole(3, 100_000)
  PREVIEW_COMPLETE_DAYS = 3;

  @Whole(1, LONGEST_SECONDS)
  STATUS_VIEW_STALLED_SECONDS = 30;

  @Whole(0, LONGEST_SECONDS)
  SHUTDOWN_SECONDS = 30;
}
