import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

import { endWithUs } from './cleanup.js';
import type { Commands, Order, Outcome } from './commands.js';

type Argument<C extends Commands, Name extends keyof C> = Parameters<C[Name]>[0];
type Result<C extends Commands, Name extends keyof C> = Awaited<ReturnType<C[Name]>>;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly execArgv?: readonly string[];
}

/** A benchmark program in a separate process. */
export class Child<C extends Commands> {
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;

  /** @param program the compiled module, relative to `bench/` */
  static start<C extends Commands>(program: string, options: ChildOptions = {}): Child<C> {
    const path = new URL(`../${program}.js`, import.meta.url);
    const child = fork(path, {
      env: { PATH: process.env['PATH'], UV_THREADPOOL_SIZE: '16', ...options.env },
      execArgv: ['--enable-source-maps', ...(options.execArgv ?? [])],
      serialization: 'advanced',
    });
    endWithUs(child);
    return new Child(child, program);
  }

  private constructor(
    private readonly process: ChildProcess,
    program: string,
  ) {
    process.on('message', (outcome: Outcome) => {
      const waiting = this.waiting.get(outcome.id);
      this.waiting.delete(outcome.id);
      if ('error' in outcome) waiting?.reject(new Error(`${program}: ${outcome.error}`));
      else waiting?.resolve(outcome.result);
    });
    process.on('exit', (code, signal) => {
      const error = new Error(`${program} ended with ${String(code ?? signal)}`);
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    });
  }

  get pid(): number {
    return this.process.pid!;
  }

  call<Name extends keyof C & string>(
    command: Name,
    ...[argument]: Argument<C, Name> extends undefined ? [] : [Argument<C, Name>]
  ): Promise<Result<C, Name>> {
    return new Promise((resolve, reject) => {
      const order: Order = { id: this.next++, command, argument };
      this.waiting.set(order.id, { resolve: resolve as Waiting['resolve'], reject });
      this.process.send(order, (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  /** Kills the process. Its stored data is discarded. */
  async end(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
  }
}
