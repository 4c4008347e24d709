import { Failure } from '../domain/failure.js';
import { attempt } from './attempt.js';
import type { Logger } from './logger.js';

/** Something that runs until it is stopped or cannot go on. */
export interface Component {
  /** Rejects when it cannot go on; absent: it always can. */
  readonly failed?: Promise<never>;
  stop(): Promise<void> | void;
}

/**
 * A component that does nothing but this work. A stop aborts its signal, and does not wait for it.
 *
 * @param work what it rejects with is why the component cannot go on
 */
export function background(work: (signal: AbortSignal) => Promise<void>): Component {
  const stopping = new AbortController();
  const failure = new Failure();
  work(stopping.signal).catch(failure.report);
  return {
    failed: failure.promise,
    stop: () => {
      stopping.abort();
    },
  };
}

/** The components of a process, in the order in which they were started. */
export class Components {
  private readonly running: Component[] = [];
  private readonly failure = new Failure();
  /** Rejects when any of them cannot go on. */
  readonly failed = this.failure.promise;

  constructor(private readonly logger: Logger) {}

  add(component: Component): void {
    this.running.push(component);
    component.failed?.catch(this.failure.report);
  }

  /**
   * Stops the components, the one started last first. After the deadline the rest are told to stop
   * and not waited for. Never rejects.
   *
   * @param deadline by performance.now()
   */
  async stop(deadline: number): Promise<void> {
    for (;;) {
      const component = this.running.pop();
      if (component === undefined) return;
      const reason = await attempt(
        async () => {
          await component.stop();
        },
        Math.max(0, deadline - performance.now()),
      );
      if (reason !== 'ok') this.logger.error({ reason }, 'a component did not stop');
    }
  }
}
