import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePorts } from '../machine/free-ports.js';
import { CACHE, fetchJars, LIBS, VERSION } from './jars.js';
import { CLASSES, KafkaNode, QUICK_JVM } from './node.js';

/** A formatted storage of this version of Kafka, which is copied. Kept between runs. */
const FORMATTED = join(CACHE, `formatted-${VERSION}`);
/** How long another test file may take to prepare the brokers. */
const PREPARE_MS = 240_000;

/** Whether a broker can be started on this machine. */
export function canStartBroker(): boolean {
  const has = (command: string): boolean => spawnSync(command, ['-version']).status === 0;
  return has('java') && (existsSync(LIBS) || has('mvn'));
}

/** Prepares what brokers on this machine need, once. Test files that come meanwhile wait. */
export async function prepareBrokers(): Promise<void> {
  if (existsSync(LIBS) && existsSync(CLASSES)) return;
  await mkdir(CACHE, { recursive: true });
  const { KAFKA_TEST_RUN = String(process.pid) } = process.env;
  const turn = join(CACHE, `preparing-${KAFKA_TEST_RUN}`);
  const isFirst = await made(turn);
  if (!isFirst) {
    const until = Date.now() + PREPARE_MS;
    while (existsSync(turn) && Date.now() < until) await sleep(100);
  }
  try {
    await fetchJars();
    if (!existsSync(CLASSES)) await archiveClasses();
  } finally {
    if (isFirst) await rm(turn, { recursive: true, force: true });
  }
}

/** Whether this call has made the folder: only one of several at once has. */
async function made(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch {
    return false;
  }
}

/** Security protocol of the listener for clients. */
export type Security = 'PLAINTEXT' | 'SASL_PLAINTEXT' | 'SASL_SSL';

interface LaunchOptions {
  /** Options of the storage tool. */
  readonly format?: readonly string[];
  /** The port that the broker advertises to clients, if not its own. */
  readonly advertisedPort?: number;
  /** Options of the Java virtual machine in place of those for tests. */
  readonly jvm?: readonly string[];
}

/** A real single-node broker in its own process and folder, on free ports of 127.0.0.1. */
export class KafkaBroker extends KafkaNode {
  /** Port of the listener between brokers, which needs no login. */
  internalPort = 0;

  get brokers(): readonly string[] {
    return [this.address];
  }

  /**
   * @param properties settings of the broker besides those that a single node needs
   */
  static async start(
    properties: Readonly<Record<string, string>> = {},
    security: Security = 'PLAINTEXT',
    options: LaunchOptions = {},
  ): Promise<KafkaBroker> {
    await prepareBrokers();
    return launch(properties, security, options);
  }
}

/** A broker writes the archive on a clean shutdown. */
async function archiveClasses(): Promise<void> {
  const archive = `${CLASSES}.${process.pid}`;
  const broker = await launch({}, 'PLAINTEXT', {
    jvm: [...QUICK_JVM, `-XX:ArchiveClassesAtExit=${archive}`],
  });
  await broker.kill('SIGTERM');
  await broker.stop();
  // Brokers also start without the archive.
  await rename(archive, CLASSES).catch(() => undefined);
}

async function launch(
  properties: Readonly<Record<string, string>>,
  security: Security,
  { format = [], advertisedPort, jvm }: LaunchOptions,
): Promise<KafkaBroker> {
  const [port, controller, internal] = (await freePorts(3)) as [number, number, number];
  const broker = new KafkaBroker(port, await KafkaNode.folder(), jvm);
  broker.internalPort = internal;
  await broker.configure({
    ...singleNode([port, controller, internal], advertisedPort ?? port, security),
    ...properties,
  });
  if (format.length > 0) await broker.format(format);
  else await formatLikeOthers(broker);
  await broker.restart();
  return broker;
}

/**
 * Gives the node a copy of a formatted storage: formatting takes a second, and without options the
 * storage of every node is the same. The first one is formatted.
 */
async function formatLikeOthers(broker: KafkaBroker): Promise<void> {
  if (!existsSync(FORMATTED)) {
    await broker.format();
    const copy = await mkdtemp(join(CACHE, 'format-'));
    try {
      await cp(broker.data, copy, { recursive: true });
      await rename(copy, FORMATTED);
    } catch (error) {
      await rm(copy, { recursive: true, force: true });
      // Another process was quicker.
      if (!existsSync(FORMATTED)) throw error;
    }
    return;
  }
  await cp(FORMATTED, broker.data, { recursive: true });
}

function singleNode(
  [port, controller, internal]: readonly [number, number, number],
  advertised: number,
  security: Security,
): Record<string, string> {
  return {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `CLIENT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller},INTERNAL://127.0.0.1:${internal}`,
    'advertised.listeners': `CLIENT://127.0.0.1:${advertised},INTERNAL://127.0.0.1:${internal}`,
    'listener.security.protocol.map': `CLIENT:${security},CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT`,
    'inter.broker.listener.name': 'INTERNAL',
    'controller.listener.names': 'CONTROLLER',
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    // A killed broker can rejoin only after this timeout. The default is nine seconds.
    'broker.session.timeout.ms': '3000',
    'broker.heartbeat.interval.ms': '500',
  };
}
