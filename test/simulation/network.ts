import type { Random } from './random.js';
import type { Actor, Time } from './time.js';

/** The probability of each fault, per request. */
export interface Faults {
  /** The server refuses the request and does nothing. */
  readonly refused: number;
  /** The server executes the request, but its answer is lost. */
  readonly lost: number;
  /** The server executes the request twice. */
  readonly repeated: number;
  /** The request times out, and the server executes it later. */
  readonly late: number;
  /** The sender dies before the server executes the request, or right after. */
  readonly deadly: number;
}

export const NO_FAULTS: Faults = { refused: 0, lost: 0, repeated: 0, late: 0, deadly: 0 };

/** There was no answer, so the outcome is unknown. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

export interface Network {
  readonly time: Time;
  readonly random: Random;
  /** Kills a process, if it may be killed now. */
  readonly kill: (actor: Actor, why: string) => void;
  readonly trace: (actor: Actor, what: string) => void;
  /** Called with the kind of each fault. */
  readonly fault: (kind: string) => void;
}

export interface ServerOptions {
  readonly faults: Faults;
  /** Delay of a request or an answer, in milliseconds. A few take up to a hundred times as long. */
  readonly delayMs: number;
}

const MOST_DELAYS = 100;
/** The longest time that an unavailable server leaves a connection open. */
const LONGEST_HANG_MS = 5_000;
const LONGEST_REPEAT_MS = 30_000;

/** A server behind a network that delays, loses and repeats requests. */
export class Server {
  readonly actor: Actor;
  awayUntil = 0;
  options: ServerOptions;

  constructor(
    readonly network: Network,
    name: string,
    options: ServerOptions,
  ) {
    this.actor = { name, isAlive: true, stoppedUntil: 0, skewMs: 0 };
    this.options = options;
  }

  get isAway(): boolean {
    return this.awayUntil > this.network.time.now();
  }

  /**
   * Sends a request to the server and passes the result or error to the sender, unless it has died.
   *
   * @param faults lower probabilities, for requests that must not fail so often
   * @throws NoAnswerError
   */
  ask<T>(asker: Actor, what: string, act: () => T, faults = this.options.faults): Promise<T> {
    const { time, random, kill } = this.network;
    return new Promise((resolve, reject) => {
      if (!asker.isAlive) return;
      const fate = random.next();
      const { refused, lost, repeated, late, deadly } = faults;
      if (random.chance(deadly / 2)) kill(asker, `before: ${what}`);
      if (isDead(asker)) return;
      const doIt = (): (() => void) => this.outcome(asker, what, act, resolve, reject);
      const noAnswer = (why: 'refused' | 'lost' | 'late'): void => {
        this.network.fault(`request ${why === 'lost' ? 'without an answer' : why}`);
        this.network.trace(asker, `${what}: ${why}`);
        const waits = this.options.delayMs > 0 ? random.between(0, LONGEST_HANG_MS) : 0;
        time.after(asker, waits, () => {
          reject(new NoAnswerError(`${what}: ${why}`));
        });
      };
      time.after(this.actor, this.delay(), () => {
        if (this.isAway || fate < refused) {
          noAnswer('refused');
        } else if (fate < refused + lost) {
          doIt();
          noAnswer('lost');
        } else if (fate < refused + lost + late) {
          noAnswer('late');
          time.after(this.actor, random.between(0, LONGEST_HANG_MS), doIt);
        } else {
          time.after(asker, this.delay(), doIt());
          if (fate < refused + lost + late + repeated) {
            this.network.fault('request repeated');
            // A late duplicate: the sender was not sure and tried again.
            const later = random.chance(0.3) ? random.between(0, LONGEST_REPEAT_MS) : this.delay();
            time.after(this.actor, later, doIt);
          }
          if (random.chance(deadly / 2)) kill(asker, `after: ${what}`);
        }
      });
    });
  }

  /** Executes the request. The returned function delivers the result. */
  private outcome<T>(
    asker: Actor,
    what: string,
    act: () => T,
    resolve: (result: T) => void,
    reject: (error: unknown) => void,
  ): () => void {
    try {
      const result = act();
      this.network.trace(asker, what);
      return () => {
        resolve(result);
      };
    } catch (error) {
      this.network.trace(asker, `${what}: ${String(error)}`);
      return () => {
        reject(error);
      };
    }
  }

  delay(): number {
    const { random } = this.network;
    const { delayMs } = this.options;
    if (delayMs === 0) return 0;
    return random.chance(0.02) ? delayMs * random.between(1, MOST_DELAYS) : delayMs * random.next();
  }
}

function isDead({ isAlive }: Actor): boolean {
  return !isAlive;
}
