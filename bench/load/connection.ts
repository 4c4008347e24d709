import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

const HEADER_END = '\r\n\r\n';

/**
 * A keep-alive connection that carries one request at a time, prepared in advance.
 *
 * For a small request, Node's own client costs more than the service's work. This client costs a
 * write and a look at the answer's header, so that the generator is never what is measured.
 */
export class Connection {
  private pending: Waiting | undefined;
  private received: Buffer = Buffer.alloc(0);

  static async open(port: number): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  private constructor(private readonly socket: Socket) {
    socket.on('data', (data) => {
      this.received = this.received.length === 0 ? data : Buffer.concat([this.received, data]);
      this.answer();
    });
    socket.on('error', (error) => {
      this.fail(error);
    });
    socket.on('close', () => {
      this.fail(new Error('the connection was closed before the answer'));
    });
  }

  /** Sends a whole request, header and body. */
  send(...parts: readonly Buffer[]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject };
      this.socket.cork();
      for (const part of parts) this.socket.write(part);
      this.socket.uncork();
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private answer(): void {
    const end = this.received.indexOf(HEADER_END);
    if (end === -1) return;
    const header = this.received.toString('latin1', 0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(header)?.[1];
    if (length === undefined) {
      this.fail(new Error(`an answer without a length: ${header}`));
      return;
    }
    const from = end + HEADER_END.length;
    const to = from + Number(length);
    if (this.received.length < to) return;
    const answer = {
      // HTTP/1.1 201 Created
      status: Number(header.slice(9, 12)),
      body: this.received.toString('utf8', from, to),
    };
    this.received = this.received.subarray(to);
    const { pending } = this;
    this.pending = undefined;
    pending?.resolve(answer);
  }

  private fail(error: Error): void {
    this.pending?.reject(error);
    this.pending = undefined;
  }
}
