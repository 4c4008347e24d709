import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HOOKS = new URL('./typescript-hooks.mjs', import.meta.url).href;
/** The value of `--import` that lets Node run TypeScript sources. */
export const REGISTER = `data:text/javascript,import{register}from'node:module';register('${HOOKS}')`;

/** Runs one of `programs/` in a separate process. */
export class Program {
  /** The lines written to standard output so far. */
  readonly lines: string[] = [];
  private readonly exited: Promise<unknown>;
  private isRead = false;

  private constructor(private readonly child: ChildProcess) {
    const output = createInterface({ input: child.stdout! });
    output.on('line', (line) => this.lines.push(line));
    output.once('close', () => (this.isRead = true));
    this.exited = Promise.all([once(child, 'exit'), once(output, 'close')]);
  }

  /** @param fileBlocks maximum file size in blocks of 512 or 1024 bytes; simulates a full disk */
  static start(name: string, args: readonly string[], fileBlocks?: number): Program {
    const path = fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url));
    const limit = `ulimit -f ${fileBlocks ?? 'unlimited'}; exec "$0" "$@"`;
    const command = [process.execPath, '--import', REGISTER, path, ...args];
    return new Program(
      spawn('sh', ['-c', limit, ...command], { stdio: ['ignore', 'pipe', 'ignore'] }),
    );
  }

  get pid(): number {
    return this.child.pid!;
  }

  async printed(lines: number): Promise<void> {
    while (this.lines.length < lines) {
      if (this.isRead && this.lines.length < lines)
        throw new Error('the program has ended too early');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Kills it, like a crash. Resolves when all of its output has been read. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  async ended(): Promise<void> {
    await this.exited;
  }
}
