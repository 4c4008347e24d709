import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePorts } from './free-ports.js';
import { CACHE, fetchJars, LIBS } from './kafka/jars.js';

/** Shorter than a test may take, so that what it wrote is seen. */
const START_MS = 50_000;

/** Classes as the virtual machine has read them once: a broker is up in half the time. */
const CLASSES = join(CACHE, 'classes.jsa');

/** Small and quick to start: a test broker lives for seconds. */
const JVM = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];

/** Whether a broker can be started on this machine. */
export function canStartBroker(): boolean {
  const has = (command: string): boolean => spawnSync(command, ['-version']).status === 0;
  return has('java') && (existsSync(LIBS) || has('mvn'));
}

/** A real broker as a process of its own: one node, on free ports of 127.0.0.1, in a folder of its own. */
export class KafkaBroker {
  private process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    readonly dir: string,
    private readonly jvm: readonly string[],
  ) {}

  /**
   * @param properties settings of the broker besides those that a single node needs
   * @param security how its listener speaks
   */
  static async start(
    properties: Readonly<Record<string, string>> = {},
    security: 'PLAINTEXT' | 'SASL_PLAINTEXT' | 'SASL_SSL' = 'PLAINTEXT',
  ): Promise<KafkaBroker> {
    await fetchJars();
    if (!existsSync(CLASSES)) await KafkaBroker.archiveClasses();
    return KafkaBroker.launch(properties, security, []);
  }

  /** Once on a machine: a broker that is ended in order leaves the archive. */
  private static async archiveClasses(): Promise<void> {
    const archive = `${CLASSES}.${process.pid}`;
    const broker = await KafkaBroker.launch({}, 'PLAINTEXT', [
      `-XX:ArchiveClassesAtExit=${archive}`,
    ]);
    await broker.kill('SIGTERM');
    await broker.stop();
    // Without it brokers start all the same.
    await rename(archive, CLASSES).catch(() => undefined);
  }

  private static async launch(
    properties: Readonly<Record<string, string>>,
    security: string,
    jvm: readonly string[],
  ): Promise<KafkaBroker> {
    const dir = await mkdtemp(join(tmpdir(), 'custom-data-kafka-'));
    const [port, controllerPort, internalPort] = (await freePorts(3)) as [number, number, number];
    const broker = new KafkaBroker(port, dir, jvm);
    const settings = {
      ...singleNode(dir, [port, controllerPort, internalPort], security),
      ...properties,
    };
    await writeFile(
      join(dir, 'server.properties'),
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    const format = ['format', '--standalone', '-t', 'Y3VzdG9tLWRhdGEtdGVzdA', '-c'];
    const formatting = broker.java('kafka.tools.StorageTool', [...format, broker.properties]);
    const [code] = (await once(formatting, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`the broker's storage cannot be formatted: ${broker.output}`);
    await broker.restart();
    return broker;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.process!.pid!;
  }

  /** What it wrote, to be shown when it does not start. */
  get output(): string {
    return readFileSync(join(this.dir, 'output'), 'utf8').slice(-4_000);
  }

  /** Starts the process, after `kill` too, and resolves when it takes connections. */
  async restart(): Promise<void> {
    this.process = this.java('kafka.Kafka', [this.properties]);
    const until = Date.now() + START_MS;
    while (!(await answers(this.port))) {
      if (this.process.exitCode !== null || Date.now() > until) {
        throw new Error(`the broker does not start: ${this.output}`);
      }
      await sleep(100);
    }
  }

  /** As a machine that loses its power would end it. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { process } = this;
    if (process?.exitCode !== null || process.signalCode !== null) return;
    const exited = once(process, 'exit');
    process.kill(signal);
    await exited;
  }

  /** SIGSTOP and SIGCONT. */
  signal(signal: NodeJS.Signals): void {
    this.process!.kill(signal);
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.dir, { recursive: true, force: true });
  }

  private get properties(): string {
    return join(this.dir, 'server.properties');
  }

  private java(main: string, args: readonly string[]): ChildProcess {
    const output = openSync(join(this.dir, 'output'), 'a');
    const classes = existsSync(CLASSES) ? [`-XX:SharedArchiveFile=${CLASSES}`] : this.jvm;
    const options = [...JVM, ...classes, '-cp', join(LIBS, '*')];
    const child = spawn('java', [...options, main, ...args], {
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    // Whoever ends without stopping it is not to wait for it.
    child.unref();
    return child;
  }
}

function singleNode(
  dir: string,
  [port, controller, internal]: readonly [number, number, number],
  security: string,
): Record<string, string> {
  return {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.bootstrap.servers': `127.0.0.1:${controller}`,
    listeners: `CLIENT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller},INTERNAL://127.0.0.1:${internal}`,
    'advertised.listeners': `CLIENT://127.0.0.1:${port},INTERNAL://127.0.0.1:${internal}`,
    'listener.security.protocol.map': `CLIENT:${security},CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT`,
    'inter.broker.listener.name': 'INTERNAL',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': join(dir, 'data'),
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    // A broker that was killed is taken back only after this: by default after nine seconds.
    'broker.session.timeout.ms': '3000',
    'broker.heartbeat.interval.ms': '500',
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
