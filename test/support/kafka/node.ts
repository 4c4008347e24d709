import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { countFault } from '../service/soak.js';
import { CACHE, LIBS, VERSION } from './jars.js';

/** Shorter than a test's time limit, so that a failure shows the output. */
const START_MS = 120_000;

/** Archive of loaded classes for the JVM. With it a broker starts in half the time. */
export const CLASSES = join(CACHE, `classes-${VERSION}.jsa`);

/** Small and quick to start: a test broker lives for seconds. */
export const QUICK_JVM = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** Id of every test cluster; 16 bytes in base64url. */
const CLUSTER_ID = 'Y3VzdG9tLWRhdGEtdGVzdA';

/** A Kafka process on 127.0.0.1 with its own folder. */
export class KafkaNode {
  private process: ChildProcess | undefined;
  /** Whether it accepts connections and nobody has ended or stopped it. */
  isUp = false;

  /**
   * @param port port for clients
   * @param dir its folder; see `folder`
   * @param jvm options of the Java virtual machine
   */
  constructor(
    readonly port: number,
    readonly dir: string,
    private readonly jvm: readonly string[] = QUICK_JVM,
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

  /** The end of its output, for error messages. */
  get output(): string {
    return readFileSync(join(this.dir, 'output'), 'utf8').slice(-4_000);
  }

  /** Size of its output so far, in bytes. */
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

  /** Formats its storage, once. */
  async format(options: readonly string[] = []): Promise<void> {
    const format = ['format', '-t', CLUSTER_ID, '-c', this.properties, ...options];
    await this.tool('kafka.tools.StorageTool', format);
  }

  /** Starts the process, also after `kill`. Resolves when it accepts connections. */
  async restart(): Promise<void> {
    this.process = this.java('kafka.Kafka', [this.properties]);
    const until = Date.now() + START_MS;
    while (!(await answers(this.port))) {
      if (this.process.exitCode !== null || Date.now() > until) {
        this.process.kill('SIGKILL');
        throw new Error(`the broker does not start: ${this.output}`);
      }
      await sleep(100);
    }
    this.isUp = true;
  }

  /** Kills the process, as a power loss would. With SIGTERM it shuts down cleanly. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!(await this.end(signal))) throw new Error(`the broker had ended: ${this.output}`);
    if (signal === 'SIGKILL') countFault('broker killed');
  }

  /** Sends SIGSTOP or SIGCONT. */
  signal(signal: NodeJS.Signals): void {
    if (!this.process!.kill(signal)) throw new Error(`the broker had ended: ${this.output}`);
    this.isUp = signal !== 'SIGSTOP';
    if (signal === 'SIGCONT') countFault('broker hanging for a while');
  }

  async stop(): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Runs one of Kafka's own tools. Resolves when it succeeds. */
  async tool(main: string, args: readonly string[]): Promise<void> {
    const [code] = (await once(this.java(main, args), 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${main} ended with ${code}: ${this.output}`);
  }

  /** Returns whether the process was still running. */
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
    const classes = existsSync(CLASSES) ? [`-XX:SharedArchiveFile=${CLASSES}`] : [];
    const options = [...this.jvm, '-Xshare:auto', ...classes, '-cp', join(LIBS, '*')];
    const child = spawn('java', [...options, main, ...args], {
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    // A test process that does not stop the broker must not wait for it either.
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
