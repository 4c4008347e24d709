import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { countFault } from '../service/soak.js';
import { CACHE, LIBS } from './jars.js';

/** Shorter than a test may take, so that what it wrote is seen. */
const START_MS = 50_000;

/** Classes as the virtual machine has read them once: a broker is up in half the time. */
export const CLASSES = join(CACHE, 'classes.jsa');

/** Small and quick to start: a test broker lives for seconds. */
const JVM = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];

/** Of every cluster of the tests; 16 bytes in base64url. */
const CLUSTER_ID = 'Y3VzdG9tLWRhdGEtdGVzdA';

/** A process of Kafka on 127.0.0.1, with a folder of its own. */
export class KafkaNode {
  private process: ChildProcess | undefined;
  /** It takes connections, and nobody has ended or stopped it. */
  isUp = false;

  /**
   * @param port where clients reach it
   * @param dir its folder; see `folder`
   */
  constructor(
    readonly port: number,
    readonly dir: string,
    private readonly jvm: readonly string[] = [],
  ) {}

  static folder(): Promise<string> {
    return mkdtemp(join(tmpdir(), 'custom-data-kafka-'));
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

  /** How much it wrote so far, in bytes. */
  get written(): number {
    return statSync(join(this.dir, 'output')).size;
  }

  outputSince(written: number): string {
    return readFileSync(join(this.dir, 'output')).toString('utf8', written);
  }

  get data(): string {
    return join(this.dir, 'data');
  }

  async configure(settings: Readonly<Record<string, string>>): Promise<void> {
    const lines = Object.entries({ ...settings, 'log.dirs': this.data }).map(
      ([name, value]) => `${name}=${value}\n`,
    );
    await writeFile(this.properties, lines.join(''));
  }

  /** Makes its storage, once. */
  async format(options: readonly string[] = []): Promise<void> {
    const format = ['format', '-t', CLUSTER_ID, '-c', this.properties, ...options];
    await this.tool('kafka.tools.StorageTool', format);
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
    this.isUp = true;
  }

  /** As a machine that loses its power would end it; SIGTERM: in good order. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if ((await this.end(signal)) && signal === 'SIGKILL') countFault('broker killed');
  }

  /** SIGSTOP and SIGCONT. */
  signal(signal: NodeJS.Signals): void {
    this.process!.kill(signal);
    this.isUp = signal !== 'SIGSTOP';
    if (signal === 'SIGCONT') countFault('broker hanging for a while');
  }

  async stop(): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Runs one of Kafka's own tools, and resolves when it has ended well. */
  async tool(main: string, args: readonly string[]): Promise<void> {
    const [code] = (await once(this.java(main, args), 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${main} ended with ${code}: ${this.output}`);
  }

  /** Whether it was still running. */
  private async end(signal: NodeJS.Signals): Promise<boolean> {
    const { process } = this;
    this.isUp = false;
    if (process?.exitCode !== null || process.signalCode !== null) return false;
    const exited = once(process, 'exit');
    process.kill(signal);
    await exited;
    return true;
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
