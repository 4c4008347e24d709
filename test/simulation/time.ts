/**
 * Simulated time, and the actors in it.
 *
 * Everything that happens is an event of one actor at one time. The code of an event, and
 * everything its promises lead to, finishes before the next event begins. So all of it belongs to
 * the actor of the event, including the timers that it sets.
 */

/** A process of the service, a server, or the world around them. */
export interface Actor {
  readonly name: string;
  /** Events of a dead actor never happen. */
  isAlive: boolean;
  /** Events of a stopped actor wait until this time. */
  stoppedUntil: number;
  /** How far its wall clock is ahead, in milliseconds. */
  skewMs: number;
}

export function actorNamed(name: string, skewMs = 0): Actor {
  return { name, isAlive: true, stoppedUntil: 0, skewMs };
}

/** The time that the simulated servers use: simulated, or the machine's own in contract tests. */
export interface Time {
  /** Milliseconds since the epoch, by a clock that is never off. */
  now(): number;
  after(actor: Actor, milliseconds: number, run: () => void): void;
}

/** The machine's time, for the contract tests. */
export const REAL_TIME: Time = {
  now: () => Date.now(),
  after: (actor, milliseconds, run) => {
    const happen = (): void => {
      if (actor.isAlive) run();
    };
    if (milliseconds === 0) setImmediate(happen);
    else setTimeout(happen, milliseconds).unref();
  },
};

interface Event {
  readonly at: number;
  /** The planned time. The delayed events of a stopped actor happen in this order. */
  readonly due: number;
  /** Events of the same time happen in the order in which they were added. */
  readonly order: number;
  readonly actor: Actor;
  readonly run: () => void;
}

const inNextTurn = setImmediate;
/** Turns to request at once: a round of Node's event loop takes much longer than an event. */
const TURNS = 64;

export class SimulatedTime implements Time {
  /** The actor of the current event. */
  current: Actor;
  private events: Event[] = [];
  private order = 0;
  private time: number;
  /** Number of events so far. */
  count = 0;
  /** The turns that Node still owes, and the callback that waits for the next one. */
  private turns = 0;
  private taken: () => void = () => undefined;

  constructor(
    private readonly startedAt: number,
    /** The actor for everything that the test itself does. */
    readonly world: Actor,
  ) {
    this.time = startedAt;
    this.current = world;
  }

  now(): number {
    return this.time;
  }

  /** Milliseconds since the start. */
  get elapsed(): number {
    return this.time - this.startedAt;
  }

  after(actor: Actor, milliseconds: number, run: () => void): void {
    const at = this.time + Math.max(0, milliseconds);
    this.push({ at, due: at, order: this.order++, actor, run });
  }

  /** Runs events until `isDone` returns true. */
  async run(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      const event = this.pop();
      if (event === undefined) throw new Error('nothing will ever happen any more');
      const { actor, at, run } = event;
      if (!actor.isAlive) continue;
      if (actor.stoppedUntil > at) {
        this.push({ ...event, at: actor.stoppedUntil });
        continue;
      }
      this.time = at;
      this.current = actor;
      this.count++;
      run();
      await this.nextTurn();
      this.current = this.world;
    }
    while (this.turns > 0) await this.nextTurn();
  }

  /** Before Node begins its next turn, it settles every promise that can be settled. */
  private nextTurn(): Promise<void> {
    if (this.turns === 0) {
      this.turns = TURNS;
      for (let i = 0; i < TURNS; i++) inNextTurn(this.turn);
    }
    return new Promise((resolve) => (this.taken = resolve));
  }

  private readonly turn = (): void => {
    this.turns--;
    this.taken();
  };

  /** Adds to the heap. Its first event is the next one. */
  private push(event: Event): void {
    const { events } = this;
    let at = events.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (isBefore(events[above]!, event)) break;
      events[at] = events[above]!;
      at = above;
    }
    events[at] = event;
  }

  private pop(): Event | undefined {
    const { events } = this;
    const [first] = events;
    const last = events.pop();
    if (last === undefined || last === first) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= events.length) break;
      if (below + 1 < events.length && isBefore(events[below + 1]!, events[below]!)) below++;
      if (isBefore(last, events[below]!)) break;
      events[at] = events[below]!;
      at = below;
    }
    events[at] = last;
    return first;
  }
}

function isBefore(a: Event, b: Event): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.due === b.due ? a.order < b.order : a.due < b.due;
}
