import type { Kafka } from 'kafkajs';
import { Backoff, retrying } from '../../domain/retry.js';
import type { Logger } from '../../ops/logger.js';
import { ConfigError } from '../../config/config.js';
import { CONSUMER_GROUPS, TOPICS } from '../upload-log.js';
import { Appender, type AppenderOptions } from './appender.js';
import { createClient, type KafkaConnection } from './client.js';
import { DirectReader } from './direct-reader.js';
import { reasonOf, refusal } from './failure.js';
import { RareLine } from '../../ops/rare-line.js';
import { ensureTopics, type TopicSettings } from './topics.js';

const LONGEST_PAUSE_MS = 1_000;

export interface ConnectOptions extends KafkaConnection, TopicSettings, AppenderOptions {
  readonly metadataMs: number;
}

/** The parts of the log, once the brokers have answered. */
export interface Connected {
  readonly kafka: Kafka;
  readonly reader: DirectReader;
  readonly appender: Appender;
}

/**
 * Waits for the brokers, logging what it waits for, and creates and checks the topics.
 *
 * @throws ConfigError what waiting does not fix, in one line
 * @throws the signal's reason
 */
export async function connectWhenUp(
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Connected> {
  const { brokers, logger } = options;
  const waiting = new RareLine();
  let hasFailed = false;
  const attempt = (): Promise<Connected> => {
    signal.throwIfAborted();
    return connect(options);
  };
  const waitsFor = (error: unknown): boolean => {
    signal.throwIfAborted();
    if (error instanceof ConfigError) return false;
    const refused = refusal(error);
    if (refused !== undefined) throw new ConfigError(refused, { cause: error });
    // New topics are not known to all brokers at once: the first failure is not worth a line.
    if (hasFailed) {
      waiting.write(() => {
        logger.warn(
          { brokers, reason: reasonOf(error) },
          'waiting for the brokers of KAFKA_BROKERS; should they be up, see KAFKA_TLS and KAFKA_SASL_*',
        );
      });
    }
    hasFailed = true;
    return true;
  };
  return retrying(attempt, waitsFor, signal, new Backoff(undefined, LONGEST_PAUSE_MS));
}

async function connect(options: ConnectOptions): Promise<Connected> {
  const { timeoutMs, logger, prefix, metadataMs } = options;
  const kafka = createClient(options, timeoutMs, logger);
  const admin = kafka.admin();
  let replicas: number;
  try {
    await admin.connect();
    replicas = await ensureTopics(admin, prefix, options);
  } finally {
    await admin.disconnect();
  }
  const reader = new DirectReader(kafka, timeoutMs, metadataMs);
  try {
    const topics = TOPICS.map((topic) => prefix + topic);
    await reader.connect(topics);
    await Promise.all(topics.map((topic) => reader.tryToRead(topic)));
    // Without the right to a group a process would wait for its partitions for ever. One after the
    // other: what still asks when another has failed would connect again after the disconnect.
    for (const { topic, group } of Object.values(CONSUMER_GROUPS)) {
      await reader.committed(prefix + topic, prefix + group);
    }
    const appender = await Appender.connect(kafka, options);
    warnOfFewReplicas(replicas, logger);
    return { kafka, reader, appender };
  } catch (error) {
    await reader.disconnect();
    throw error;
  }
}

function warnOfFewReplicas(replicas: number, logger: Logger): void {
  if (replicas === 1) {
    logger.warn('the topics have one replica: with its disk go uploads that were answered 201');
  } else if (replicas === 2) {
    logger.warn('the topics have two replicas: uploads are refused while either broker is away');
  }
}
