import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly at: number;
}

/** What the proxy does with a call instead of forwarding it. Undefined forwards the call. */
export type Fault = (
  call: Asked,
  index: number,
) => Partial<Refusal> | 'cut' | 'cut after' | undefined;

interface Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * A proxy in front of the real service. It records the calls. It may refuse a call, cut it before
 * the service sees it (`cut`), or cut it after the service has answered (`cut after`).
 */
export class Proxy {
  readonly asked: Asked[] = [];
  private readonly server: Server;

  private constructor(
    private readonly port: () => number,
    private readonly fault: Fault,
  ) {
    this.server = createServer((request, response) => {
      this.handle(request, response).catch(() => request.socket.destroy());
    });
  }

  static async start(port: () => number, fault: Fault = () => undefined): Promise<Proxy> {
    const proxy = new Proxy(port, fault);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    const call: Asked = {
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: Buffer.concat(pieces),
      at: Date.now(),
    };
    const fault = this.fault(call, this.asked.push(call) - 1);
    if (fault === 'cut') {
      request.socket.destroy();
      return;
    }
    if (fault !== undefined && fault !== 'cut after') {
      response.writeHead(fault.status ?? 503, fault.headers ?? {}).end(fault.body ?? '');
      return;
    }
    const { authorization, 'content-type': type, 'idempotency-key': key } = request.headers;
    const answer = await fetch(`http://127.0.0.1:${this.port()}${call.url}`, {
      method: call.method,
      headers: {
        ...(authorization && { authorization }),
        ...(type && { 'content-type': type }),
        ...(typeof key === 'string' && { 'idempotency-key': key }),
      },
      ...(call.method === 'POST' && { body: call.body }),
    });
    const text = await answer.text();
    if (fault === 'cut after') request.socket.destroy();
    else response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
  }
}
