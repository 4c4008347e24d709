import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

import busboy from 'busboy';

import { EngineException } from '../../../src/query/exception.js';
import { Engine, type EngineRequest, type ExternalTable } from './engine.js';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** URL parameters that are not settings of the engine. */
const PROTOCOL = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'wait_end_of_query',
  'user',
  'password',
]);

/** The server's default of `http_max_field_value_size`, which also applies to form parts. */
const PARAMETER_BYTES = 131_072;

/** @throws EngineException when the credentials are wrong */
export function authenticate(request: IncomingMessage, expected: Credentials): void {
  const { authorization = '' } = request.headers;
  const basic = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString('utf8');
  if (basic === `${expected.user}:${expected.password}`) return;
  throw new EngineException(
    516,
    'AUTHENTICATION_FAILED',
    'Authentication failed: password is incorrect, or there is no user with such name.',
  );
}

/**
 * Reads the statement, its parameters and the data of an INSERT.
 *
 * @throws EngineException
 */
export async function readEngineRequest(
  request: IncomingMessage,
  url: URL,
): Promise<EngineRequest> {
  const parameters = new Map<string, string>();
  const settings = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (name.startsWith('param_')) parameters.set(name.slice('param_'.length), value);
    else if (!PROTOCOL.has(name)) settings.set(name, value);
  }
  let sql = url.searchParams.get('query') ?? '';
  let data: Buffer | undefined;
  const tables: ExternalTable[] = [];
  if (request.headers['content-type']?.startsWith('multipart/form-data') === true) {
    const form = await formOf(request);
    for (const [name, value] of form.fields) {
      if (name === 'query') sql = value;
      else parameters.set(name.slice('param_'.length), value);
    }
    for (const [name, bytes] of form.files) tables.push(tableOf(name, bytes, settings));
  } else {
    const body = await bodyOf(request);
    if (Engine.isInsertOfData(sql)) data = body;
    else sql += body.toString('utf8');
  }
  for (const value of parameters.values()) {
    if (Buffer.byteLength(value) > PARAMETER_BYTES) {
      throw new EngineException(
        1000,
        'POCO_EXCEPTION',
        'HTML Form Exception: Field value too long',
      );
    }
  }
  return {
    sql,
    data,
    tables,
    parameters,
    settings,
    database: url.searchParams.get('database') ?? undefined,
    defaultFormat: url.searchParams.get('default_format') ?? 'TabSeparated',
  };
}

/** The body, unpacked if it is compressed. */
function contentOf(request: IncomingMessage): Readable {
  return request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of contentOf(request) as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

/** Converts a form part with a file name to a table. The URL has its structure and format. */
function tableOf(name: string, data: Buffer, settings: Map<string, string>): ExternalTable {
  const structure = settings.get(`${name}_structure`);
  const format = settings.get(`${name}_format`) ?? 'TabSeparated';
  if (structure === undefined) {
    const reason = `There is neither "structure" nor "types" for external data: ${name}`;
    throw new EngineException(36, 'BAD_ARGUMENTS', reason);
  }
  settings.delete(`${name}_structure`);
  settings.delete(`${name}_format`);
  return { name, structure, format, data };
}

interface Form {
  readonly fields: [string, string][];
  readonly files: [string, Buffer][];
}

async function formOf(request: IncomingMessage): Promise<Form> {
  const form: Form = { fields: [], files: [] };
  const parser = busboy({ headers: request.headers, limits: { fieldSize: 64 * 1024 * 1024 } });
  parser.on('field', (name, value) => form.fields.push([name, value]));
  parser.on('file', (name, file) => {
    const parts: Buffer[] = [];
    file.on('data', (part: Buffer) => parts.push(part));
    file.on('end', () => form.files.push([name, Buffer.concat(parts)]));
  });
  await new Promise<void>((resolve, reject) => {
    parser.on('close', resolve).on('error', reject);
    // A server does not unpack forms.
    request.pipe(parser);
  });
  return form;
}
