/**
 * Time as the simulation has it, and who acts in it.
 *
 * Everything that happens is an event of one actor at one time. The code that an event runs, and
 * whatever its promises lead to, is done before the next event begins: so the actor of an event owns
 * all that is done then, timers that are set included.
 */

/** A process of the service, a server, or the world around them. */
export interface Actor {
  readonly name: string;
  /** A dead actor's events never happen. */
  isAlive: boolean;
  /** Nothing happens to a stopped actor before. */
  stoppedUntil: number;
  /** How far its wall clock is ahead, in milliseconds. */
  skewMs: number;
}

export function actorNamed(name: string, skewMs = 0): Actor {
  return { name, isAlive: true, stoppedUntil: 0, skewMs };
}

/** What the simulated servers need of time: simulated, or the machine's own (in contract tests). */
export interface Time {
  /** Milliseconds since the epoch, by a clock that nobody's is. */
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
  /** When it was to happen. What a stopped actor has put off happens in this order. */
  readonly due: number;
  /** Events of the same time happen in the order in which they were asked for. */
  readonly order: number;
  readonly actor: Actor;
  readonly run: () => void;
}

const inNextTurn = setImmediate;
/** Turns that are asked for at once: a round of Node's loop is long beside an event. */
const TURNS = 64;

export class SimulatedTime implements Time {
  /** Whose event is happening. */
  current: Actor;
  private events: Event[] = [];
  private order = 0;
  private time: number;
  /** How many events have happened. */
  count = 0;
  /** Turns that Node has still to give, and who waits for the next. */
  private turns = 0;
  private taken: () => void = () => undefined;

  constructor(
    private readonly startedAt: number,
    /** Whose doings are those of the test itself. */
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

  /** Lets events happen until `isDone` says so after one of them. */
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

  /** Every promise that can be settled is, before Node begins its next turn. */
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

  /** A heap whose first event is the next. */
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
