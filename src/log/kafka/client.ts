import kafkajs, { type Kafka, type SASLOptions } from 'kafkajs';
import type { SASL_MECHANISMS } from '../../config/config.js';
import type { TlsMaterial } from '../../config/configured-files.js';
import type { Logger } from '../../ops/logger.js';
import { registerLz4 } from './compression.js';
import { mendBrokers } from './patches/brokers-known.js';
import { mendClosedAtOnce } from './patches/closed-at-once.js';
import { mendConnecting } from './patches/connect-once.js';
import { mendCutAnswers } from './patches/cut-answers.js';
import { mendEncoderBuffers } from './patches/encoder-buffers.js';
import { mendEnding } from './patches/ended-connections.js';
import { mendIdleTimers } from './patches/idle-timers.js';
import { mendLeaderless } from './patches/leaderless.js';
import { mendOutOfRange } from './patches/out-of-range.js';
import { mendSilence } from './patches/silent-brokers.js';
import { createSocket } from './patches/sockets.js';

export interface KafkaConnection {
  /** `host:port` each; one that answers is enough to find the others. */
  readonly brokers: readonly string[];
  /** Undefined: `custom-data`. */
  readonly clientId?: string;
  /** Undefined: no TLS. Without `ca` Node's authorities vouch for the brokers. */
  readonly tls: TlsMaterial | undefined;
  readonly sasl: KafkaCredentials | undefined;
}

export interface KafkaCredentials {
  readonly mechanism: (typeof SASL_MECHANISMS)[number];
  readonly username: string;
  readonly password: string;
}

const CONNECT_MS = 3_000;

/**
 * A few quick attempts inside kafkajs, for elections and the like. Longer retries are made above
 * it, where the deadline is known. Given in full, because its defaults differ under NODE_ENV=test.
 */
export const QUICK_RETRIES = {
  initialRetryTime: 100,
  maxRetryTime: 1_000,
  factor: 0.2,
  multiplier: 2,
  retries: 3,
} as const;

/** @param requestMs how long a broker may take to answer a request */
export function createClient(
  { brokers, clientId = 'custom-data', tls, sasl }: KafkaConnection,
  requestMs: number,
  logger: Logger,
): Kafka {
  mendKafkajs();
  registerLz4();
  return new kafkajs.Kafka({
    clientId,
    // kafkajs asks the first broker until it answers or refuses the connection, and each client
    // begins with it: a silent one would delay every attempt.
    brokers: shuffled(brokers),
    ...(tls === undefined ? {} : { ssl: { ...tls } }),
    ...(sasl === undefined ? {} : { sasl: sasl as SASLOptions }),
    connectionTimeout: CONNECT_MS,
    requestTimeout: requestMs,
    retry: QUICK_RETRIES,
    socketFactory: createSocket,
    logLevel: kafkajs.logLevel.INFO,
    // It reports every attempt as an error. The outcome is logged where it is known.
    logCreator:
      () =>
      ({ namespace, log: { message } }) => {
        logger.debug({ kafkajs: namespace }, message);
      },
  });
}

let isMended = false;

/** Fixes kafkajs once per process. A second time, the patches would wrap their own functions. */
function mendKafkajs(): void {
  if (isMended) return;
  isMended = true;
  mendIdleTimers();
  mendEncoderBuffers();
  mendCutAnswers();
  mendEnding();
  mendConnecting();
  mendClosedAtOnce();
  mendSilence();
  mendBrokers();
  mendLeaderless();
  mendOutOfRange();
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
