import { ConfigError, type KafkaConfig } from './config.js';
import type { Environment } from './environment.js';
import { refuseAny } from './refuse-any.js';
import { tlsFilesOf } from './tls-files.js';

const CREDENTIALS = [
  'KAFKA_SASL_MECHANISM',
  'KAFKA_SASL_USERNAME',
  'KAFKA_SASL_PASSWORD',
  'KAFKA_SASL_PASSWORD_FILE',
] as const;
const FILES = ['KAFKA_CA_FILE', 'KAFKA_CERT_FILE', 'KAFKA_KEY_FILE'] as const;

/**
 * How to reach the brokers. Undefined: none are configured.
 *
 * @throws ConfigError
 */
export function kafkaOf(environment: Environment): KafkaConfig | undefined {
  const {
    KAFKA_BROKERS: brokers,
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
    KAFKA_SASL_PASSWORD_FILE: passwordFile,
  } = environment;
  if (brokers === undefined) {
    const all = [...CREDENTIALS, ...FILES];
    refuseAny(environment, all, 'KAFKA_BROKERS is not: there are no brokers to use it with');
    return undefined;
  }
  const hasTls = environment.KAFKA_TLS === 'true';
  if (!hasTls) refuseAny(environment, FILES, 'KAFKA_TLS is not true');
  const common = {
    brokers,
    clientId: environment.KAFKA_CLIENT_ID,
    tls: hasTls ? tlsFilesOf('KAFKA', environment) : undefined,
    compression: environment.KAFKA_COMPRESSION,
    partitions: environment.KAFKA_PARTITIONS,
    replicationFactor: environment.KAFKA_REPLICATION_FACTOR,
  };
  if (mechanism === undefined) {
    refuseAny(environment, CREDENTIALS, 'KAFKA_SASL_MECHANISM is not');
    return { ...common, sasl: undefined };
  }
  if (username === undefined) {
    throw new ConfigError('KAFKA_SASL_USERNAME is not set, but KAFKA_SASL_MECHANISM is');
  }
  if ((password === undefined) === (passwordFile === undefined)) {
    throw new ConfigError(
      'KAFKA_SASL_MECHANISM is set, so exactly one of KAFKA_SASL_PASSWORD and KAFKA_SASL_PASSWORD_FILE has to be',
    );
  }
  return { ...common, sasl: { mechanism, username, password, passwordFile } };
}
