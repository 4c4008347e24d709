import { resolve } from 'node:path';

import type { TlsFiles } from './config.js';
import { ConfigError } from './config-error.js';
import type { Environment } from './environment.js';

/** @throws ConfigError when a certificate comes without its key, or a key without its certificate */
export function tlsFilesOf(prefix: 'KAFKA' | 'CLICKHOUSE', environment: Environment): TlsFiles {
  const path = (kind: 'CA' | 'CERT' | 'KEY'): string | undefined => {
    const file = environment[`${prefix}_${kind}_FILE` as const];
    return file === undefined ? undefined : resolve(file);
  };
  const [ca, cert, key] = [path('CA'), path('CERT'), path('KEY')];
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigError(
      `${prefix}_CERT_FILE and ${prefix}_KEY_FILE are a client's certificate and its key: set both or none`,
    );
  }
  return { ca, cert, key };
}
