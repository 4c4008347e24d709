import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

import { codeOf } from '../domain/failure.js';
import { ConfigError, type TlsFiles } from './config.js';

/**
 * Node's codes for a server without a trusted certificate, or one that speaks TLS where none is
 * expected or the reverse.
 */
const TLS_FAULT =
  /^(?:ERR_(?:SSL|TLS)_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

/** @param code of an error */
export function isTlsFault(code: string | number | undefined): code is string {
  return typeof code === 'string' && TLS_FAULT.test(code);
}

/** @throws ConfigError that names the variable when the file cannot be read */
async function readConfigured(variable: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new ConfigError(
      `${variable}: ${path} cannot be read (${codeOf(error) ?? String(error)})`,
    );
  }
}

/**
 * The password, or what is in its file without the line break with which editors end it. Empty when
 * there is neither.
 *
 * @param variable that names the file
 */
export async function readPassword(
  variable: string,
  { password = '', passwordFile }: Record<'password' | 'passwordFile', string | undefined>,
): Promise<string> {
  if (passwordFile === undefined) return password;
  return (await readConfigured(variable, passwordFile)).toString('utf8').replace(/\r?\n$/, '');
}

/** PEM, as Node's TLS takes it. */
export interface TlsMaterial {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/**
 * @param prefix of the variables that name the files
 * @throws ConfigError also when they are no certificates, or the key is another one's
 */
export async function readTlsFiles(
  prefix: 'KAFKA' | 'CLICKHOUSE',
  { ca, cert, key }: TlsFiles,
): Promise<TlsMaterial> {
  const material = {
    ...(ca !== undefined && { ca: await readConfigured(`${prefix}_CA_FILE`, ca) }),
    ...(cert !== undefined && { cert: await readConfigured(`${prefix}_CERT_FILE`, cert) }),
    ...(key !== undefined && { key: await readConfigured(`${prefix}_KEY_FILE`, key) }),
  };
  try {
    createSecureContext(material);
  } catch (error) {
    const files = `${prefix}_CA_FILE, ${prefix}_CERT_FILE, ${prefix}_KEY_FILE`;
    throw new ConfigError(`${files}: ${(error as Error).message}`);
  }
  return material;
}
