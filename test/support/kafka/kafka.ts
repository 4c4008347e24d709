import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import kafkajs from 'kafkajs';
import { pino } from 'pino';

import { KafkaLog, type KafkaLogOptions } from '../../../src/log/kafka/kafka-log.js';
import { KafkaBroker } from './kafka-broker.js';

const START_MS = 240_000;

/** The brokers that all test files of the run share. The first caller starts one. */
export async function sharedBrokers(): Promise<string[]> {
  const name = `run-${process.env['KAFKA_TEST_RUN'] ?? ''}`;
  const run = fileURLToPath(new URL(`../../../.cache/kafka/${name}`, import.meta.url));
  const file = join(run, 'broker.json');
  mkdirSync(join(run, '..'), { recursive: true });
  if (isFirst(run)) {
    try {
      const { port, pid, dir } = await KafkaBroker.start();
      writeFileSync(`${file}.new`, JSON.stringify({ port, pid, dir }));
      renameSync(`${file}.new`, file);
    } catch (error) {
      // Lets the next test file try instead of wait.
      rmSync(run, { recursive: true, force: true });
      throw error;
    }
  }
  for (const until = Date.now() + START_MS; !existsSync(file);) {
    if (Date.now() > until) throw new Error('the shared broker does not start');
    await sleep(100);
  }
  const { port } = JSON.parse(readFileSync(file, 'utf8')) as { port: number };
  return [`127.0.0.1:${port}`];
}

function isFirst(run: string): boolean {
  try {
    mkdirSync(run);
    return true;
  } catch {
    return false;
  }
}

/** Logs on topics and groups of their own. `cleanUp` closes them; later logs get new names. */
export class KafkaLogs {
  prefix = newPrefix();
  private readonly logs: KafkaLog[] = [];

  constructor(private readonly brokers: () => readonly string[]) {}

  options(options: Partial<KafkaLogOptions> = {}): KafkaLogOptions {
    return {
      brokers: this.brokers(),
      tls: undefined,
      sasl: undefined,
      compression: 'lz4',
      partitions: 1,
      replicationFactor: 1,
      retentionMs: 3_600_000,
      timeoutMs: 10_000,
      sessionMs: 6_000,
      prefix: this.prefix,
      logger: pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }),
      ...options,
    };
  }

  async open(options: Partial<KafkaLogOptions> = {}): Promise<KafkaLog> {
    const log = new KafkaLog(this.options(options));
    await log.ready(new AbortController().signal);
    this.logs.push(log);
    return log;
  }

  async cleanUp(): Promise<void> {
    await Promise.all(this.logs.splice(0).map((log) => log.close()));
    this.prefix = newPrefix();
  }

  /** Runs `work` with a kafkajs admin client, for what the port does not offer. */
  async admin<T>(work: (admin: ReturnType<kafkajs.Kafka['admin']>) => Promise<T>): Promise<T> {
    const logLevel = kafkajs.logLevel.NOTHING;
    const admin = new kafkajs.Kafka({ brokers: [...this.brokers()], logLevel }).admin();
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }
}

function newPrefix(): string {
  return `test-${randomBytes(6).toString('hex')}.`;
}
