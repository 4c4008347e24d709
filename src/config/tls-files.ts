import { resolve } from 'node:path';

import type { TlsFiles } from './config.js';
import { ConfigError } from './config-error.js';

/** @throws ConfigError when a certificate comes without its key, or a key without its certificate */
export function tlsFilesOf(
  prefix: 'KAFKA' | 'CLICKHOUSE',
  ca: string | undefined,
  cert: string | undefined,
  key: string | undefined,
): TlsFiles {
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigError(
      `${prefix}_CERT_FILE and ${prefix}_KEY_FILE are a client's certificate and its key: set both or none`,
    );
  }
  const path = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : resolve(file);
  return { ca: path(ca), cert: path(cert), key: path(key) };
}
