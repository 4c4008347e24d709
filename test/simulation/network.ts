import type { Random } from './random.js';
import type { Actor, Time } from './time.js';

/** How often what goes wrong, as probabilities of one question. */
export interface Faults {
  /** The server says no, and has done nothing. */
  readonly refused: number;
  /** The server has done it, and its answer does not come. */
  readonly lost: number;
  /** The server does it twice. */
  readonly repeated: number;
  /** It takes so long that nobody waits for the answer any more, and is done then. */
  readonly late: number;
  /** The one who asks dies before the server does it, or right after. */
  readonly deadly: number;
}

export const NO_FAULTS: Faults = { refused: 0, lost: 0, repeated: 0, late: 0, deadly: 0 };

/** There was no answer: whether it was done is unknown. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

export interface Network {
  readonly time: Time;
  readonly random: Random;
  /** Ends a process at once, if it may be ended now. */
  readonly kill: (actor: Actor, why: string) => void;
  readonly trace: (actor: Actor, what: string) => void;
  /** Told of each fault, by its kind. */
  readonly fault: (kind: string) => void;
}

export interface ServerOptions {
  readonly faults: Faults;
  /** Milliseconds that a question or an answer is on its way; a few take up to a hundred times as long. */
  readonly delayMs: number;
}

const MOST_DELAYS = 100;
/** How long a server that is away leaves a connection open, at most. */
const LONGEST_HANG_MS = 5_000;
const LONGEST_REPEAT_MS = 30_000;

/** What everyone asks over a network that delays, loses and repeats. */
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
   * Has the server do something, and brings what it returns or throws back to whoever asked. Nothing
   * ever comes back to the dead.
   *
   * @param faults less than usual for what is not to fail so often
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
            // Of someone who was not sure, and has tried again a while later.
            const later = random.chance(0.3) ? random.between(0, LONGEST_REPEAT_MS) : this.delay();
            time.after(this.actor, later, doIt);
          }
          if (random.chance(deadly / 2)) kill(asker, `after: ${what}`);
        }
      });
    });
  }

  /** Does it; the returned function tells what has come of it. */
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
