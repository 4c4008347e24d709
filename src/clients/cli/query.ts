import type { Config } from '../../config/config.js';
import { CODE } from '../../query/exception.js';
import { withWarehouse } from './connections.js';
import { CommandError, UNREACHABLE } from './terminal.js';

const TIMEOUT_MS = 30_000;

/**
 * Asks the warehouse: a server, or the read-only HTTP interface of a running embedded service, whose
 * data folder no second process may open.
 *
 * @param sql one SELECT without FORMAT, with `{name:Type}` placeholders
 * @throws CommandError
 */
export async function ask<Row>(
  config: Config,
  sql: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Row[]> {
  if (config.clickhouse !== undefined) {
    return withWarehouse(config, (warehouse) => warehouse.query<Row>(sql, parameters));
  }
  const url = queryUrl(config);
  for (const [name, value] of Object.entries(parameters)) {
    url.searchParams.set(`param_${name}`, escaped(value));
  }
  const body = await post(url, `${sql} FORMAT JSONEachRow`);
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

async function post(url: URL, body: string): Promise<string> {
  let response: Response;
  let text: string;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    response = await fetch(url, { method: 'POST', body, signal });
    text = await response.text();
  } catch {
    throw new CommandError(
      `nothing answers queries at ${url.host}; is the service running?`,
      UNREACHABLE,
    );
  }
  const { status, headers } = response;
  if (status === 200) return text;
  const code = Number(headers.get('X-ClickHouse-Exception-Code'));
  throw new CommandError(
    `the query was answered with ${status}: ${text}`,
    code === CODE.TOO_MANY_SIMULTANEOUS_QUERIES ? UNREACHABLE : 1,
  );
}

function queryUrl({ queryPort }: Config): URL {
  if (queryPort === undefined) {
    throw new CommandError('QUERY_PORT is empty, so the query interface that this needs is off', 2);
  }
  if (queryPort === 0) {
    throw new CommandError(
      'QUERY_PORT is 0; set it to the port that the service logged at start',
      2,
    );
  }
  return new URL(`http://127.0.0.1:${queryPort}`);
}

/** The interface reads parameters as tab-separated values. */
function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n');
}
