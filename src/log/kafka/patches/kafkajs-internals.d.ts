/** Classes of kafkajs that its own types leave out; see where they are imported. */
declare module 'kafkajs/src/network/requestQueue/index.js' {
  export default class RequestQueue {
    readonly pending: readonly unknown[];
    /** Milliseconds since the epoch; in the past, or negative, when the broker asks for no pause. */
    readonly throttledUntil: number;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    checkPendingRequests(): void;
    scheduleCheckPendingRequests(): void;
  }
}

declare module 'kafkajs/src/errors.js' {
  const errors: {
    readonly KafkaJSConnectionClosedError: new (
      message: string,
      place: { readonly host: string; readonly port: number },
    ) => Error;
  };
  export default errors;
}

declare module 'kafkajs/src/protocol/encoder.js' {
  /** Bytes of a request, as far as they are written. */
  export default class Encoder {
    static nextPowerOfTwo(value: number): number;
    buf: Buffer;
    /** How many bytes of `buf` are written. */
    offset: number;
    ensureAvailable(bytes: number): void;
    writeEncoderArray: (this: Encoder, parts: readonly Encoder[]) => Encoder;
    writeBuffer(value: Buffer): Encoder;
    writeBoolean(value: boolean): Encoder;
    writeInt16(value: number): Encoder;
    writeInt32(value: number): Encoder;
    writeString(value: string): Encoder;
    get buffer(): Buffer;
  }
}

declare module 'kafkajs/src/network/connection.js' {
  import type { Socket } from 'node:net';

  export interface Request {
    readonly request: object;
    readonly response: object;
    /** In milliseconds, if longer than that of the connection. */
    readonly requestTimeout?: number | null;
  }

  export default class Connection {
    constructor(options: {
      readonly host: string;
      readonly port: number;
      readonly logger: unknown;
      readonly socketFactory: unknown;
      readonly connectionTimeout: number;
      readonly requestTimeout: number;
    });
    readonly host: string;
    readonly port: number;
    /** Of the connection that there is, or was last. */
    readonly socket: Socket | undefined;
    /** What has come of the next answer, and how many bytes it takes to read on. */
    chunks: Buffer[];
    bytesBuffered: number;
    bytesNeeded: number;
    isConnected: (this: Connection) => boolean;
    processData: (this: Connection, bytes: Buffer) => void;
    readonly requestTimeout: number;
    /** `throttledUntil`: the broker asks for a pause until then; milliseconds since the epoch. */
    readonly requestQueue: { readonly throttledUntil: number };
    connectionStatus: 'connected' | 'disconnecting' | 'disconnected';
    send: (this: Connection, request: Request) => Promise<unknown>;
    /** Fails all requests that wait for their answer, or to be sent. */
    rejectRequests(error: Error): void;
    connect: (this: Connection) => Promise<true>;
    disconnect(): Promise<void>;
  }
}

declare module 'kafkajs/src/broker/index.js' {
  export default class Broker {
    constructor(options: {
      readonly connectionPool: unknown;
      readonly logger: unknown;
      readonly versions?: object;
    });
    readonly connectionPool: { readonly host: string; readonly port: number };
    nodeId: number | null;
    /** What the broker understands; null: not known. */
    versions: object | null;
    /** Named `notInitializedLookup` until the broker's versions are known. */
    lookupRequest: (...args: readonly unknown[]) => unknown;
    isConnected: (this: Broker) => boolean;
    connect: (this: Broker) => Promise<void>;
  }
}

declare module 'kafkajs/src/consumer/offsetManager/index.js' {
  import type { Cluster } from 'kafkajs';

  interface Place {
    readonly topic: string;
    readonly partition: number;
  }

  /** Where a member of a group has come to. */
  export default class OffsetManager {
    constructor(options: {
      readonly cluster: Cluster;
      readonly coordinator: object;
      readonly memberAssignment: Readonly<Record<string, readonly number[]>>;
      readonly autoCommit: boolean;
      readonly topicConfigurations: object;
    });
    readonly cluster: Cluster;
    /** The member's partitions by topic. */
    memberAssignment: Readonly<Record<string, readonly number[]>>;
    setDefaultOffset: (this: OffsetManager, place: Place) => Promise<void>;
    /** Finds out where to begin in partitions for which that is not known yet. */
    resolveOffsets: (this: OffsetManager) => Promise<void>;
    /** @param offset the last one that has been fetched */
    resolveOffset(offset: Place & { readonly offset: string }): void;
    nextOffset(topic: string, partition: number): { toString(): string };
  }
}

declare module 'kafkajs/src/protocol/requests/metadata/v6/response.js' {
  export interface TopicMetadata {
    readonly partitionMetadata: readonly {
      partitionErrorCode: number;
      /** Id of a broker; -1: there is none. */
      readonly leader: number;
    }[];
  }

  /** The newest answer that kafkajs knows. Every broker since Kafka 2.0 gives it. */
  const response: {
    decode: (bytes: Buffer) => Promise<{ readonly topicMetadata: readonly TopicMetadata[] }>;
    /** Throws the first error in it. */
    parse(answer: unknown): Promise<unknown>;
  };
  export default response;
}

declare module 'kafkajs/src/cluster/brokerPool.js' {
  import type Broker from 'kafkajs/src/broker/index.js';
  import type { TopicMetadata } from 'kafkajs/src/protocol/requests/metadata/v6/response.js';

  export default class BrokerPool {
    constructor(options: {
      readonly connectionPoolBuilder: {
        build(place?: { readonly host: string; readonly port: number }): Promise<unknown>;
      };
      readonly logger: unknown;
      readonly metadataMaxAge?: number;
    });
    /** By id. */
    brokers: Record<number, Broker>;
    seedBroker: Broker | undefined;
    readonly metadata: {
      readonly brokers: readonly {
        readonly nodeId: number;
        readonly host: string;
        readonly port: number;
      }[];
      readonly topicMetadata: readonly TopicMetadata[];
    } | null;
    metadataExpireAt: number | null;
    findBroker: (this: BrokerPool, broker: { readonly nodeId: string }) => Promise<Broker>;
    findConnectedBroker: (this: BrokerPool) => Promise<Broker>;
    connectBroker(broker: Broker): Promise<void>;
    removeBroker: (
      this: BrokerPool,
      place: { readonly host: string; readonly port: number },
    ) => void;
    refreshMetadata: (this: BrokerPool, topics: readonly string[]) => Promise<void>;
  }
}
