import { resolve } from 'node:path';

import type { KafkaConfig } from './config.js';
import { ConfigError } from './config-error.js';
import type { Environment } from './environment.js';
import { tlsFilesOf } from './tls-files.js';

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
    KAFKA_CA_FILE: ca,
    KAFKA_CERT_FILE: cert,
    KAFKA_KEY_FILE: key,
  } = environment;
  const files = { KAFKA_CA_FILE: ca, KAFKA_CERT_FILE: cert, KAFKA_KEY_FILE: key };
  const credentials = {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
    KAFKA_SASL_PASSWORD_FILE: passwordFile,
  };
  if (brokers === undefined) {
    const all = { ...credentials, ...files };
    refuseAny(all, 'KAFKA_BROKERS is not: there are no brokers to use it with');
    return undefined;
  }
  const hasTls = environment.KAFKA_TLS === 'true';
  if (!hasTls) refuseAny(files, 'KAFKA_TLS is not true');
  const common = {
    brokers,
    clientId: environment.KAFKA_CLIENT_ID,
    tls: hasTls ? tlsFilesOf('KAFKA', ca, cert, key) : undefined,
    compression: environment.KAFKA_COMPRESSION,
    partitions: environment.KAFKA_PARTITIONS,
    replicationFactor: environment.KAFKA_REPLICATION_FACTOR,
  };
  if (mechanism === undefined) {
    refuseAny(credentials, 'KAFKA_SASL_MECHANISM is not');
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
  return {
    ...common,
    sasl: {
      mechanism,
      username,
      password,
      passwordFile: passwordFile === undefined ? undefined : resolve(passwordFile),
    },
  };
}

function refuseAny(variables: Readonly<Record<string, string | undefined>>, but: string): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined) throw new ConfigError(`${name} is set, but ${but}`);
  }
}
