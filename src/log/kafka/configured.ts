import { readFile } from 'node:fs/promises';

import type { KafkaConfig, Limits } from '../../config/config.js';
import { ConfigError } from '../../config/config-error.js';
import type { Logger } from '../../ops/logger.js';
import type { KafkaCredentials } from './client.js';
import { KafkaLog } from './kafka-log.js';

/**
 * The log on the brokers that the configuration names. Nothing is asked of them yet.
 *
 * @throws ConfigError when the file with the password cannot be read
 */
export async function configuredKafkaLog(
  config: KafkaConfig,
  limits: Limits,
  logger: Logger,
): Promise<KafkaLog> {
  return new KafkaLog({
    ...config,
    sasl: config.sasl === undefined ? undefined : await credentialsOf(config.sasl),
    retentionMs: limits.logRetentionMs,
    timeoutMs: limits.logTimeoutMs,
    logger,
  });
}

async function credentialsOf({
  mechanism,
  username,
  password,
  passwordFile,
}: NonNullable<KafkaConfig['sasl']>): Promise<KafkaCredentials> {
  if (passwordFile === undefined) return { mechanism, username, password: password ?? '' };
  try {
    // Editors end a file with a line break.
    const text = (await readFile(passwordFile, 'utf8')).replace(/\r?\n$/, '');
    return { mechanism, username, password: text };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `KAFKA_SASL_PASSWORD_FILE: ${passwordFile} cannot be read (${code ?? String(error)})`,
    );
  }
}
