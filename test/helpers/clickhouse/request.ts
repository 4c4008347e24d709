import type { IncomingMessage } from 'node:http';

import busboy from 'busboy';

import { EngineException } from '../../../src/query/exception.js';
import { Engine, type EngineRequest } from './engine.js';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** URL parameters that are no settings of the engine. */
const PROTOCOL = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'wait_end_of_query',
  'user',
  'password',
]);

/** The server's default of `http_max_field_value_size`, which holds for parts of a form as well. */
const PARAMETER_BYTES = 131_072;

/** @throws EngineException when the credentials are not the server's */
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
  if (request.headers['content-type']?.startsWith('multipart/form-data') === true) {
    for (const [name, value] of await fieldsOf(request)) {
      if (name === 'query') sql = value;
      else parameters.set(name.slice('param_'.length), value);
    }
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
    parameters,
    settings,
    database: url.searchParams.get('database') ?? undefined,
    defaultFormat: url.searchParams.get('default_format') ?? 'TabSeparated',
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

async function fieldsOf(request: IncomingMessage): Promise<[string, string][]> {
  const fields: [string, string][] = [];
  const parser = busboy({ headers: request.headers, limits: { fieldSize: 64 * 1024 * 1024 } });
  parser.on('field', (name, value) => fields.push([name, value]));
  await new Promise<void>((resolve, reject) => {
    parser.on('close', resolve).on('error', reject);
    request.pipe(parser);
  });
  return fields;
}
