import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

import { countFault } from '../service/soak.js';

const PRODUCE = 0;
const FETCH = 1;
const SYNC_GROUP = 14;
/** In the transitions of requests, which are JSON. */
const PREV_STATUS = Buffer.from('"prevStatus"');

/** A fault for produce requests that contain `bytes`. */
export interface ProduceFault {
  readonly bytes: Buffer;
  /** Whether the broker executes the request; otherwise it is lost on the way. */
  readonly isDelivered: boolean;
  /** How many requests to hit; absent: all until the test removes the fault. */
  readonly times?: number;
}

/** A member that has received its partitions in a generation of its group. */
export interface Sync {
  readonly group: string;
  readonly generation: number;
  readonly member: string;
}

/** The bytes of a header in an uncompressed record, as Kafka writes it. */
export function headerBytes(name: string, value: string): Buffer {
  const text = (part: string): Buffer => Buffer.from([part.length * 2, ...Buffer.from(part)]);
  return Buffer.concat([text(name), text(value)]);
}

/** Holds back the answer to one fetch that contains `bytes`. All others pass. */
export class HeldAnswer {
  /** Resolves when an answer is held back. */
  readonly arrived: Promise<void>;
  private hasArrived!: () => void;
  private pass: (() => void) | undefined;

  constructor(private readonly bytes: Buffer) {
    this.arrived = new Promise((resolve) => (this.hasArrived = resolve));
  }

  /** @param pass sends the answer to the client */
  takes(answer: Buffer, pass: () => void): boolean {
    if (this.pass !== undefined || !answer.includes(this.bytes)) return false;
    this.pass = pass;
    this.hasArrived();
    return true;
  }

  release(): void {
    this.pass!();
  }
}

/**
 * A proxy between clients and a broker that injects network faults. A connection ends at a request
 * that never arrives, or at one that the broker executes and whose answer is lost. Readers can lag
 * behind, and the broker can be unreachable or silent.
 *
 * The broker must advertise this address, and records must be uncompressed.
 */
export class KafkaProxy {
  /** Delay of fetch answers, in milliseconds. */
  fetchDelayMs = 0;
  /** How many of them were delayed that have records of the status topic. */
  delayedStatus = 0;
  /** How many answers to drop when members sync again. Their connections stay open. */
  syncsToLose = 0;
  /** How often the fault has struck. */
  struck = 0;
  /** Syncs in the order of their answers. */
  readonly syncs: Sync[] = [];
  /** Whether new connections are closed at once. */
  isRefusing = false;
  private isStalled = false;
  private held: HeldAnswer | undefined;
  private fault: ProduceFault | undefined;
  private target = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<KafkaProxy> {
    const server = createServer();
    const proxy = new KafkaProxy(server);
    server.on('connection', (client) => {
      proxy.join(client);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Broker settings that send its clients to this proxy. */
  get brokerSettings(): Record<string, string> {
    return {
      'advertised.listeners': `CLIENT://127.0.0.1:${this.port}`,
      'inter.broker.listener.name': 'CLIENT',
    };
  }

  forwardTo(port: number): void {
    this.target = port;
  }

  set(fault: ProduceFault | undefined): void {
    if (this.fault !== undefined) {
      const what = this.fault.isDelivered ? 'answer of the broker' : 'append on its way';
      countFault(`${what} lost`, this.struck);
    }
    this.struck = 0;
    this.fault = fault;
  }

  /** @param bytes part of a record; the first fetch answer that contains them is held back */
  holdFetch(bytes: Buffer): HeldAnswer {
    this.held = new HeldAnswer(bytes);
    return this.held;
  }

  /** Closes all connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** While stalled, nothing passes and no connection ends. */
  stall(isStalled: boolean): void {
    this.isStalled = isStalled;
    for (const socket of this.sockets) {
      if (isStalled) socket.pause();
      else socket.resume();
    }
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.cut();
    await closed;
  }

  private join(client: Socket): void {
    if (this.isRefusing) {
      client.destroy();
      return;
    }
    const broker = connect(this.target, '127.0.0.1');
    const cut = (): void => {
      client.destroy();
      broker.destroy();
    };
    for (const socket of [client, broker]) {
      this.sockets.add(socket);
      socket.on('error', cut).on('close', () => {
        this.sockets.delete(socket);
        cut();
      });
    }
    /** The request whose answer is lost. */
    let lost: number | undefined;
    const fetches = new Set<number>();
    const lostSyncs = new Set<number>();
    /** Sync requests by correlation id. */
    const syncs = new Map<number, Buffer>();
    let hasSynced = false;
    const requests = new Frames((frame) => {
      if (frame.readInt16BE(4) === FETCH) fetches.add(frame.readInt32BE(8));
      if (frame.readInt16BE(4) === SYNC_GROUP) {
        if (hasSynced && this.losesSync(frame)) lostSyncs.add(frame.readInt32BE(8));
        hasSynced = true;
        syncs.set(frame.readInt32BE(8), frame);
      }
      if (!this.strikes(frame)) broker.write(frame);
      else if (this.fault!.isDelivered) {
        lost = frame.readInt32BE(8);
        broker.write(frame);
      } else cut();
    });
    const answers = new Frames((frame) => {
      const request = frame.readInt32BE(4);
      const isFetch = fetches.delete(request);
      if (lostSyncs.delete(request)) return;
      const sync = syncs.get(request);
      if (sync !== undefined && isWell(frame, sync.readInt16BE(6))) this.syncs.push(syncOf(sync));
      syncs.delete(request);
      const pass = (): void => {
        client.write(frame);
      };
      if (request === lost) cut();
      else if (isFetch && this.held?.takes(frame, pass) === true) return;
      else if (isFetch && this.fetchDelayMs > 0) {
        setTimeout(pass, this.fetchDelayMs);
        if (frame.includes(PREV_STATUS)) this.delayedStatus++;
      } else pass();
    });
    client.on('data', (data) => {
      requests.add(data);
    });
    broker.on('data', (data) => {
      answers.add(data);
    });
    if (this.isStalled) for (const socket of [client, broker]) socket.pause();
  }

  /** Spares the leader of the group: its request has the assignments of all members. */
  private losesSync(frame: Buffer): boolean {
    if (this.syncsToLose === 0 || frame.includes('uploads')) return false;
    this.syncsToLose--;
    return true;
  }

  private strikes(frame: Buffer): boolean {
    const { fault } = this;
    if (fault === undefined || this.struck >= (fault.times ?? Infinity)) return false;
    if (frame.readInt16BE(4) !== PRODUCE || !frame.includes(fault.bytes)) return false;
    this.struck++;
    return true;
  }
}

function syncOf(request: Buffer): Sync {
  const textAt = (at: number): string =>
    request.toString('utf8', at + 2, at + 2 + request.readInt16BE(at));
  // After the client id.
  const start = 14 + request.readInt16BE(12);
  const group = textAt(start);
  const next = start + 2 + Buffer.byteLength(group);
  return { group, generation: request.readInt32BE(next), member: textAt(next + 4) };
}

/** From version 1 on, a throttle time precedes the error code. */
function isWell(answer: Buffer, version: number): boolean {
  return answer.readInt16BE(version === 0 ? 8 : 12) === 0;
}

/** Splits a stream into the protocol's frames: four bytes of length, then that many bytes. */
class Frames {
  private rest = Buffer.alloc(0);

  constructor(private readonly take: (frame: Buffer) => void) {}

  add(data: Buffer): void {
    this.rest = Buffer.concat([this.rest, data]);
    while (this.rest.length >= 4) {
      const end = 4 + this.rest.readInt32BE(0);
      if (this.rest.length < end) return;
      const frame = this.rest.subarray(0, end);
      this.rest = this.rest.subarray(end);
      this.take(frame);
    }
  }
}
