import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const PROGRAM = 'bench/kafka/broker.mjs';

/** A real Kafka broker on this machine. */
export class Broker {
  /** Undefined where none can be started: that takes Java and Maven. */
  static async start(): Promise<Broker | undefined> {
    // It ends, with its broker, when its standard input does: also when this process is killed.
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await Promise.race([
      once(createInterface({ input: child.stdout }), 'line'),
      once(child, 'exit').then(() => ['']),
    ])) as [string];
    if (line === '') throw new Error('the Kafka broker did not start');
    return line === 'none' ? undefined : new Broker(child, line);
  }

  private constructor(
    private readonly process: ChildProcess,
    readonly address: string,
  ) {}

  async stop(): Promise<void> {
    const exited = once(this.process, 'exit');
    this.process.stdin!.end();
    await exited;
  }
}
