import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';

import { unpackBlocks } from './compressed/blocks.js';
import { EngineException } from './exception.js';
import type { Scope } from './sessions.js';
import { settingsOf } from './settings.js';

/** What a client asked for. */
export interface QueryRequest {
  readonly text: string;
  readonly scope: Scope;
  readonly queryId: string;
  /** The format for a statement that names none. */
  readonly defaultFormat: string;
  /** The client accepts a gzip body. */
  readonly gzip: boolean;
  /** The client wants ClickHouse's compressed blocks. */
  readonly inBlocks: boolean;
  /** The version of the native protocol that the client speaks; 0: the format of a file. */
  readonly protocolVersion: number;
  /** The client wants every error before the first byte. */
  readonly waitEnd: boolean;
  /** The client's limit when it is shorter than the service's. */
  readonly timeoutMs: number;
}

/** As ClickHouse's own default of `max_query_size`. */
const QUERY_BYTES = 256 * 1024;
/** Room for the longest query, compressed, even if it does not shrink. */
const PACKED_QUERY_BYTES = QUERY_BYTES + 4 * 1024;
/** Each is bound by a statement of its own. */
const MOST_PARAMETERS = 1_000;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Undefined: there is no query, as in a health check. */
export async function readRequest(
  request: IncomingMessage,
  url: URL,
  options: {
    readonly database: string;
    readonly timeoutMs: number;
    /** Names of all settings of the engine. */
    readonly settings: ReadonlySet<string>;
    /** Aborted: the rest of the query is not waited for. */
    readonly signal: AbortSignal;
  },
): Promise<QueryRequest | undefined> {
  const parameters = url.searchParams;
  refuseUnsupported(request);

  addAbortSignal(options.signal, request);
  const body = await readText(request, isOn(parameters.get('decompress')));
  const inUrl = parameters.get('query');
  if (inUrl === null && request.method !== 'POST') return undefined;
  const text = [inUrl ?? '', body].filter((part) => part !== '').join('\n');
  if (Buffer.byteLength(text) > QUERY_BYTES) throw tooLarge();

  const asked = Number(parameters.get('max_execution_time') ?? 0) * 1_000;
  return {
    text,
    scope: {
      database: databaseOf(request, parameters, options.database),
      parameters: boundParameters(parameters),
      settings: settingsOf(parameters, options.settings),
    },
    queryId: queryIdOf(parameters),
    defaultFormat: formatOf(request, parameters),
    gzip:
      isOn(parameters.get('enable_http_compression')) &&
      /\bgzip\b/.test(request.headers['accept-encoding'] ?? ''),
    inBlocks: isOn(parameters.get('compress')),
    protocolVersion: Number(parameters.get('client_protocol_version') ?? 0) || 0,
    waitEnd: isOn(parameters.get('wait_end_of_query')),
    timeoutMs: asked > 0 ? Math.min(asked, options.timeoutMs) : options.timeoutMs,
  };
}

function refuseUnsupported(request: IncomingMessage): void {
  const refuse = (what: string): never => {
    throw EngineException.of('NOT_IMPLEMENTED', `${what} is not supported by this interface.`);
  };
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') refuse(`Content-Encoding: ${encoding}`);
  if (request.headers['content-type']?.startsWith('multipart/form-data') === true) {
    refuse('multipart/form-data (external tables; send the query as the body)');
  }
}

async function readText(request: IncomingMessage, isPacked: boolean): Promise<string> {
  if (!isPacked) return (await readBody(request, QUERY_BYTES)).toString('utf8');
  const packed = await readBody(request, PACKED_QUERY_BYTES);
  return (await unpackBlocks(packed, QUERY_BYTES, tooLarge)).toString('utf8');
}

async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > limit) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function tooLarge(): EngineException {
  return EngineException.of('QUERY_IS_TOO_LARGE', `The query is over ${QUERY_BYTES} bytes.`);
}

/**
 * `default` is what clients send when nobody chose a database. The engine's own database of that
 * name shows the machine's files as tables.
 */
function databaseOf(
  request: IncomingMessage,
  parameters: URLSearchParams,
  configured: string,
): string {
  const header = request.headers['x-clickhouse-database'];
  const asked = parameters.get('database') ?? (typeof header === 'string' ? header : '');
  if (asked === '' || asked === 'default' || asked === configured) return configured;
  // Not the engine's own databases either: so every name in a query is one of the warehouse.
  throw EngineException.of(
    'UNKNOWN_DATABASE',
    `Database ${asked} cannot be the current one here; write ${asked}.table in the query.`,
  );
}

function boundParameters(parameters: URLSearchParams): Map<string, string> {
  const bound = new Map<string, string>();
  for (const [key, value] of parameters) {
    if (!key.startsWith('param_')) continue;
    const name = key.slice('param_'.length);
    if (!IDENTIFIER.test(name)) {
      throw EngineException.of('BAD_ARGUMENTS', `Not the name of a parameter: ${name}.`);
    }
    bound.set(name, value);
  }
  if (bound.size > MOST_PARAMETERS) {
    throw EngineException.of('BAD_ARGUMENTS', `More than ${MOST_PARAMETERS} parameters.`);
  }
  return bound;
}

/** The client gets it back in a header. */
function queryIdOf(parameters: URLSearchParams): string {
  const asked = parameters.get('query_id') ?? '';
  if (asked === '') return randomUUID();
  if (!/^[\x20-\x7e]{1,256}$/.test(asked)) {
    throw EngineException.of('BAD_ARGUMENTS', 'query_id must be 1 to 256 printable characters.');
  }
  return asked;
}

function formatOf(request: IncomingMessage, parameters: URLSearchParams): string {
  const header = request.headers['x-clickhouse-format'];
  const asked = parameters.get('default_format') ?? (typeof header === 'string' ? header : '');
  const format = asked === '' ? 'TabSeparated' : asked;
  if (!/^\w+$/.test(format))
    throw EngineException.of('UNKNOWN_FORMAT', `Unknown format ${format}.`);
  return format;
}

function isOn(value: string | null): boolean {
  return value === '1' || value === 'true';
}
