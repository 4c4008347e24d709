/** Requests as bytes, prepared before the measurement. */
import type { LoadSpec } from './load.js';

const BOUNDARY = 'custom-data-bench-5f1c2e';
const BASE = '/custom-data-upload/v1.0';

export interface Target {
  readonly port: number;
  readonly token: string;
}

/** The header and the multipart body of a create, without a copy of the file's bytes. */
export function createRequest(target: Target, family: LoadSpec['family'], file: Buffer): Buffer[] {
  return postRequest(target, `${BASE}/${family}/requests/`, file);
}

/** The same of a preview. */
export function previewRequest(target: Target, family: LoadSpec['family'], file: Buffer): Buffer[] {
  return postRequest(target, `/custom-data-preview/v1.0/${family}`, file);
}

function postRequest({ token }: Target, path: string, file: Buffer): Buffer[] {
  const before = Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="data.csv"\r\n` +
      'Content-Type: text/csv\r\n\r\n',
  );
  const after = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const length = before.length + file.length + after.length;
  const header = Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
      `Authorization: SERVICE-API-KEY ${token}\r\n` +
      `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${length}\r\n\r\n`,
  );
  return [Buffer.concat([header, before]), file, after];
}

export function readRequest({ token }: Target, path: string): Buffer {
  return Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: SERVICE-API-KEY ${token}\r\n\r\n`,
  );
}

export function statusPath(family: LoadSpec['family'], requestId: string): string {
  return `${BASE}/${family}/requests/${requestId}`;
}
