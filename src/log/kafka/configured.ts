import type { KafkaConfig, Limits } from '../../config/config.js';
import { readPassword, readTlsFiles } from '../../config/configured-files.js';
import type { Logger } from '../../ops/logger.js';
import type { KafkaCredentials } from './client.js';
import { KafkaLog } from './kafka-log.js';

/**
 * The log on the brokers that the configuration names. Nothing is asked of them yet.
 *
 * @throws ConfigError when a file that the configuration names cannot be read
 */
export async function configuredKafkaLog(
  config: KafkaConfig,
  limits: Limits,
  logger: Logger,
): Promise<KafkaLog> {
  return new KafkaLog({
    ...config,
    tls: config.tls === undefined ? undefined : await readTlsFiles('KAFKA', config.tls),
    sasl: config.sasl === undefined ? undefined : await credentialsOf(config.sasl),
    retentionMs: limits.logRetentionMs,
    timeoutMs: limits.logTimeoutMs,
    logger,
  });
}

async function credentialsOf(sasl: NonNullable<KafkaConfig['sasl']>): Promise<KafkaCredentials> {
  const { mechanism, username } = sasl;
  return { mechanism, username, password: await readPassword('KAFKA_SASL_PASSWORD_FILE', sasl) };
}
