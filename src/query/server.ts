import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Limits } from '../config/config.js';
import { inTime } from '../domain/in-time.js';
import type { Logger } from '../ops/logger.js';
import { QuerySlots } from './query-slots.js';
import { readEngineFacts, type EngineFacts } from './engine-facts.js';
import { runQuery } from './engine-query.js';
import { EngineException } from './exception.js';
import { whyForeign } from './foreign-requests.js';
import { Pipes } from './pipes.js';
import { readRequest } from './request.js';
import { sendResult } from './result-response.js';
import { ReadOnlySessions } from './sessions.js';
import { guard } from './statement-guard.js';

export interface QueryServerOptions {
  /**
   * The folder of the embedded engine, which this process has open for writing. Results pass through
   * a folder beside it.
   */
  readonly path: string;
  /** The database of unqualified names. It exists before the first query. */
  readonly database: string;
  readonly limits: Pick<Limits, 'queryConcurrency' | 'queryTimeoutMs' | 'queryMemoryBytes'>;
  readonly logger: Logger;
}

export interface QueryServer {
  /** @returns the port, also when 0 was asked for */
  listen(port: number, host: string): Promise<number>;
  /**
   * Stops running queries and resolves when the engine is done with them, or after some seconds.
   * Also after a failed `listen`.
   */
  close(): Promise<void>;
}

/** Query texts and bound parameters may stand in the URL. */
const HEADER_BYTES = 1024 * 1024;
/** As ClickHouse's own server. Clients keep idle connections for a shorter time. */
const KEEP_ALIVE_MS = 10_000;
/** How long a stop waits for statements: the rest of the service needs time for its own stop. */
const CLOSE_MS = 5_000;

/** ClickHouse's HTTP interface over the engine in the process, for reading only. */
export function createQueryServer(options: QueryServerOptions): QueryServer {
  const { path, database, limits } = options;
  const { queryConcurrency, queryTimeoutMs: timeoutMs } = limits;
  const sessions = new ReadOnlySessions(path, limits);
  const slots = new QuerySlots(queryConcurrency);
  const closing = new AbortController();
  // Every request listens.
  setMaxListeners(0, closing.signal);
  const running = new Set<Promise<void>>();
  let pipes: Pipes | undefined;
  let facts: EngineFacts;

  const http = createServer({ maxHeaderSize: HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS });
  http.on('request', (request, response) => {
    const handled = handle(request, response).finally(() => running.delete(handled));
    running.add(handled);
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    const leave = (): void => {
      gone.abort();
    };
    response.on('close', leave);
    // Until it is its turn on the connection, a response does not notice the end of it.
    const { socket } = request;
    socket.once('close', leave);
    // With AbortSignal.any, `closing` would remember every request for as long as the process lives.
    closing.signal.addEventListener('abort', leave);
    if (closing.signal.aborted) leave();
    try {
      await route(request, response, gone.signal);
    } catch (error) {
      const exception = EngineException.from(error);
      options.logger.debug({ code: exception.code, type: exception.type }, 'query failed');
      if (!response.headersSent) sendException(request, response, exception, facts);
    } finally {
      socket.off('close', leave);
      closing.signal.removeEventListener('abort', leave);
    }
  }

  async function route(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const foreign = whyForeign(request.headers);
    const target = [request.url ?? '/', 'http://localhost'] as const;
    const url = URL.canParse(...target) ? new URL(...target) : undefined;
    if (foreign !== undefined) {
      sendText(response.setHeader('Connection', 'close'), 403, `${foreign}\n`);
    } else if (!['GET', 'HEAD', 'POST'].includes(request.method ?? '')) {
      sendText(response.setHeader('Allow', 'GET, HEAD, POST'), 405, 'Method not allowed.\n');
    } else if (url === undefined) {
      sendText(response, 400, 'Not a path.\n');
    } else if (url.pathname === '/ping' || url.pathname === '/replicas_status') {
      sendText(response, 200, 'Ok.\n');
    } else if (url.pathname !== '/') {
      sendText(response, 404, `There is no handle ${url.pathname}\n\nUse / or /ping.\n`);
    } else {
      await answer(request, response, url, signal);
    }
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    signal: AbortSignal,
  ): Promise<void> {
    const { settings } = facts;
    const query = await readRequest(request, url, {
      ...{ database, timeoutMs, settings },
      signal: closing.signal,
    });
    if (query === undefined) {
      sendText(response, 200, 'Ok.\n');
      return;
    }
    response
      .setHeader('X-ClickHouse-Query-Id', query.queryId)
      .setHeader('X-ClickHouse-Server-Display-Name', facts.displayName)
      .setHeader('X-ClickHouse-Timezone', facts.timezone);

    await slots.enter(signal);
    try {
      // Without the client's settings, which would change the guard's own answers.
      const statement = await sessions.use(
        { ...query.scope, settings: [] },
        ({ engine }) => guard(engine, query.text, query.scope.parameters, facts),
        signal,
      );
      const format = statement.format ?? query.defaultFormat;
      await runQuery(sessions, pipes!, { ...query, statement, format, signal }, (result) =>
        sendResult(response, query, format, result, facts.version),
      );
    } finally {
      slots.leave();
    }
  }

  return {
    async listen(port, host) {
      facts = await readEngineFacts(sessions);
      pipes = await Pipes.create(`${path}-results`, queryConcurrency);
      http.listen(port, host);
      await once(http, 'listening');
      return (http.address() as AddressInfo).port;
    },
    async close() {
      const closed = new Promise((resolve) => http.close(resolve));
      closing.abort();
      await inTime(Promise.all(running), CLOSE_MS, () => undefined);
      http.closeAllConnections();
      await closed;
      sessions.close();
      await pipes?.remove();
    },
  };
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=UTF-8' }).end(text);
}

function sendException(
  request: IncomingMessage,
  response: ServerResponse,
  exception: EngineException,
  facts: EngineFacts,
): void {
  // The rest of the body is not read, and the next request would follow it.
  if (!request.complete) response.setHeader('Connection', 'close');
  response.setHeader('X-ClickHouse-Exception-Code', exception.code);
  response.setHeader('Content-Type', 'text/plain; charset=UTF-8');
  response.statusCode = exception.status;
  response.end(`${exception.text(facts.version)}\n`);
}
