import { ConfigError, type TlsFiles } from './config.js';
import type { Environment } from './environment.js';

/** @throws ConfigError when a certificate comes without its key, or a key without its certificate */
export function tlsFilesOf(prefix: 'KAFKA' | 'CLICKHOUSE', environment: Environment): TlsFiles {
  const ca = environment[`${prefix}_CA_FILE` as const];
  const cert = environment[`${prefix}_CERT_FILE` as const];
  const key = environment[`${prefix}_KEY_FILE` as const];
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigError(
      `${prefix}_CERT_FILE and ${prefix}_KEY_FILE are a client's certificate and its key: set both or none`,
    );
  }
  return { ca, cert, key };
}
