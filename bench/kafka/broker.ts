import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = 'bench/kafka/broker.mjs';

interface Place {
  readonly address: string;
  readonly pid: number;
  /** Its records are in `data`, in one folder per partition. */
  readonly dir: string;
}

/** A real Kafka broker on this machine. */
export class Broker {
  /** Undefined where no broker can start, because that needs Java and Maven. */
  static async start(): Promise<Broker | undefined> {
    // The child and its broker stop when its standard input ends, also when this process dies.
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await Promise.race([
      once(createInterface({ input: child.stdout }), 'line'),
      once(child, 'exit').then(() => ['']),
    ])) as [string];
    if (line === '') throw new Error('the Kafka broker did not start');
    return line === 'none' ? undefined : new Broker(child, JSON.parse(line) as Place);
  }

  private constructor(
    private readonly process: ChildProcess,
    private readonly place: Place,
  ) {}

  get address(): string {
    return this.place.address;
  }

  get pid(): number {
    return this.place.pid;
  }

  /** Bytes of a topic on disk. */
  async bytesOf(topic: string): Promise<number> {
    const data = join(this.place.dir, 'data');
    const folders = (await readdir(data)).filter((name) => /^(.+)-\d+$/.exec(name)?.[1] === topic);
    let bytes = 0;
    for (const folder of folders) {
      for (const name of await readdir(join(data, folder))) {
        // Index files are preallocated, so they are not counted.
        if (name.endsWith('.log')) bytes += (await stat(join(data, folder, name))).size;
      }
    }
    return bytes;
  }

  async stop(): Promise<void> {
    const exited = once(this.process, 'exit');
    this.process.stdin!.end();
    await exited;
  }
}
