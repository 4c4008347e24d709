import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A client that sends exactly the given bytes, when it is told to. */
export class RawClient {
  received = '';
  isEnded = false;
  isClosed = false;

  private constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (piece) => {
      this.received += piece.toString('latin1');
    });
    socket.on('end', () => {
      this.isEnded = true;
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
    // A reset is one of the outcomes that tests expect.
    socket.on('error', () => undefined);
  }

  static async connect(port: number, allowHalfOpen = false): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** Sends the request line and headers; adds `Host`. */
  head(requestLine: string, headers: Readonly<Record<string, string>>): void {
    const lines = Object.entries({ Host: 'test', ...headers }).map(([k, v]) => `${k}: ${v}\r\n`);
    this.socket.write(`${requestLine} HTTP/1.1\r\n${lines.join('')}\r\n`);
  }

  /** Resolves to whether the kernel took the bytes in time. */
  async send(bytes: Uint8Array | string, timeoutMs = 20_000): Promise<boolean> {
    if (this.isClosed) return false;
    return await new Promise((resolve) => {
      const timer = setTimeout(() => {
        resolve(false);
      }, timeoutMs);
      this.socket.write(bytes, (error) => {
        clearTimeout(timer);
        // Deferred: a tight loop of failing writes would hide the end of the socket.
        setImmediate(resolve, !error);
      });
    });
  }

  /** Returns the next complete answer and removes it from `received`. */
  async answer(timeoutMs = 30_000): Promise<RawAnswer> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const answer = this.take();
      if (answer !== undefined) return answer;
      if (this.isClosed) throw new Error(`closed without an answer: ${this.received}`);
      if (Date.now() > deadline) throw new Error(`no answer in time: ${this.received}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  destroy(): void {
    this.socket.destroy();
  }

  private take(): RawAnswer | undefined {
    const end = this.received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [statusLine = '', ...lines] = this.received.slice(0, end).split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const length = Number(headers['content-length'] ?? 0);
    if (this.received.length < end + 4 + length) return undefined;
    const body = this.received.slice(end + 4, end + 4 + length);
    this.received = this.received.slice(end + 4 + length);
    return { status: Number(statusLine.split(' ')[1]), headers, body };
  }
}

/** A chunk of a chunked transfer coding. */
export function httpChunk(bytes: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
}
