import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** PEM files of a certificate that vouches for itself, for 127.0.0.1. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** @param name of the files in `folder`, and of the subject */
export function makeCertificate(folder: string, name: string): Certificate {
  const key = join(folder, `${name}.key`);
  const cert = join(folder, `${name}.pem`);
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`],
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
    ],
    { stdio: 'ignore' },
  );
  return { key, cert };
}
