import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TlsOptions } from 'node:tls';

import { EngineException } from '../../../src/query/exception.js';
import type { Engine } from './engine.js';
import { type Fault, Faults } from './faults.js';
import { authenticate, type Credentials, readEngineRequest } from './request.js';

const VERSION = '26.7.0.0';
const TAG = 'customdatatesttag';

export interface Tls {
  readonly key: string;
  readonly cert: string;
  /** The authority of clients. With it a client without a certificate is refused. */
  readonly clientCa?: string;
}

/** ClickHouse's HTTP interface for tests. It allows all writes and injects faults. */
export class ClickHouseServer {
  readonly faults = new Faults();
  requests = 0;
  inserts = 0;
  private server: Server | undefined;
  private port = 0;

  constructor(
    private readonly engine: Engine,
    private readonly credentials: Credentials,
    private readonly tls: Tls | undefined,
  ) {}

  /** Accepts connections; after `refuse`, on the same port as before. */
  async accept(port = this.port, host = '127.0.0.1'): Promise<number> {
    if (this.server !== undefined) return this.port;
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      void this.handle(request, response);
    };
    const options = { maxHeaderSize: 1024 * 1024, keepAliveTimeout: 10_000 };
    this.server =
      this.tls === undefined
        ? createServer(options, handle)
        : createTlsServer({ ...options, ...tlsOptions(this.tls) }, handle);
    this.server.listen(port, host);
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return this.port;
  }

  /** Closes all connections and accepts no new ones. */
  async refuse(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client that disconnects is not an error of the server.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    try {
      await this.answer(request, response);
    } catch (error) {
      sendException(response, EngineException.from(error));
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname === '/ping') {
      response.end('Ok.\n');
      return;
    }
    this.requests++;
    const isInsert = /^\s*INSERT\b/.test(url.searchParams.get('query') ?? '');
    if (isInsert) this.inserts++;
    const fault = this.faults.next(isInsert);
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'cut-request') {
      request.once('data', () => request.destroy());
      return;
    }
    authenticate(request, this.credentials);
    const read = await readEngineRequest(request, url);
    if (fault?.kind === 'slow') await sleep(fault.delayMs ?? 1_000);
    if (fault !== undefined && !isCarriedOut(fault)) {
      sendFault(response, fault, Buffer.alloc(0));
      return;
    }
    const result = await this.engine.run(read);
    if (fault === undefined || fault.kind === 'slow') sendResult(response, result);
    else sendFault(response, fault, result);
  }
}

function tlsOptions({ key, cert, clientCa }: Tls): TlsOptions {
  return {
    key,
    cert,
    ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  };
}

function isCarriedOut({ kind }: Fault): boolean {
  return kind.endsWith('-after') || kind === 'cut-answer' || kind === 'slow';
}

function sendResult(response: ServerResponse, result: Buffer): void {
  response.setHeader('Content-Type', 'text/plain; charset=UTF-8');
  response.setHeader('X-ClickHouse-Exception-Tag', TAG);
  response.end(result);
}

function sendException(response: ServerResponse, exception: EngineException): void {
  if (response.headersSent) return;
  response.statusCode = exception.code === 516 ? 403 : exception.status;
  response.setHeader('X-ClickHouse-Exception-Code', exception.code);
  response.end(`${exception.text(VERSION)}\n`);
}

function sendFault(response: ServerResponse, { kind, code = 159 }: Fault, result: Buffer): void {
  const exception = new EngineException(code, 'INJECTED_FAULT', 'A fault of the test.');
  switch (kind) {
    case 'hang-after':
      return;
    case 'lost':
      sendResult(response, result);
      return;
    case 'fail':
    case 'fail-after':
      response.writeHead(500).end('upstream is not well\n');
      return;
    case 'cut-answer':
      response.writeHead(200, { 'Content-Length': result.length + 10 });
      response.write(Buffer.concat([result, Buffer.from('x')]), () => response.destroy());
      return;
    case 'exception':
      sendException(response, exception);
      return;
    case 'exception-in-header':
      response.setHeader('X-ClickHouse-Exception-Code', code);
      response.writeHead(200).end(`${exception.text(VERSION)}\n`);
      return;
    default: {
      const message = `${exception.text(VERSION)}\n`;
      const marker = '\r\n__exception__\r\n';
      response.setHeader('X-ClickHouse-Exception-Tag', TAG);
      response.end(`${marker}${TAG}\r\n${message}${message.length} ${TAG}${marker}`);
    }
  }
}
