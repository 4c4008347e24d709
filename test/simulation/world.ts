import { isAnyAlone } from '../support/service/crash-journal.js';
import { Client } from './client.js';
import { Commits } from './commits.js';
import { type Content, MARKS } from './content.js';
import { Broker } from './log/broker.js';
import { type Network, NO_FAULTS } from './network.js';
import { enter, leave } from './patches.js';
import { planOf, type Trouble } from './plan.js';
import { type RoleName, Slot } from './processes.js';
import { Random } from './random.js';
import { NOTHING_WRONG, type Settings, settingsOf } from './settings.js';
import { type Actor, actorNamed, SimulatedTime } from './time.js';
import { WarehouseServer } from './warehouse.js';

const STARTED_AT = Date.UTC(2026, 0, 15, 12);
const DELAY_MS = 3;
const SESSION_MS = 10_000;
const RETENTION_PAUSE_MS = 10_000;
/** A gateway may be waiting for a log request that gets no answer. */
const LONGEST_LAG_MS = 10_000;
const LONGEST_SENDING_MS = 4 * 3_600_000;
/** By then, uploads without an end must be dropped and everything else must be done. */
const LONGEST_SETTLING_MS = 40 * 60_000;

/** An upload that a gateway has begun. */
export interface Begun {
  readonly account: string;
  readonly content: Content;
  readonly key: string | undefined;
  readonly startedAt: number;
}

/** Everything that belongs to one seed. */
export class World {
  readonly actor = actorNamed('world');
  readonly random: Random;
  readonly settings: Settings;
  readonly time = new SimulatedTime(STARTED_AT, this.actor);
  readonly network: Network;
  readonly broker: Broker;
  readonly warehouse: WarehouseServer;
  readonly slots: readonly Slot[];
  readonly lines: string[] = [];
  readonly violations: string[] = [];
  /** Number of faults, by kind. */
  readonly faults = new Map<string, number>();
  /** Why processes ended by themselves. */
  readonly failures: string[] = [];
  readonly uploads = new Map<string, Begun>();
  readonly clients: readonly Client[];
  private readonly plan: readonly Trouble[];

  constructor(readonly seed: number) {
    this.random = new Random(`seed ${seed}`);
    this.settings = settingsOf(this.random.fork('settings'));
    const { settings, time } = this;
    const random = this.random.fork('network');
    this.network = { time, random, kill: this.kill, trace: this.trace, fault: this.fault };
    const partitions = { uploads: settings.partitions, status: settings.partitions };
    const usual = { delayMs: DELAY_MS };
    this.broker = new Broker(this.network, {
      partitions,
      sessionMs: SESSION_MS,
      retentionMs: settings.retentionMs,
      faults: settings.log,
      ...usual,
    });
    const options = { faults: settings.warehouse, ...usual };
    this.warehouse = new WarehouseServer(this.network, options, settings.content);
    const slots = (role: RoleName, count: number): Slot[] =>
      Array.from({ length: count }, (_, i) => new Slot(this, role, i + 1));
    this.slots = [
      ...slots('gateway', settings.gateways),
      ...slots('ingest', settings.ingests),
      ...slots('status', settings.statuses),
    ];
    const commits = new Commits(this);
    this.broker.committed = (topic, group, partition, before, to) => {
      commits.check(group, this.broker.records(topic, partition, before, to));
    };
    this.clients = Array.from({ length: settings.clients }, (_, i) => new Client(this, i));
    this.plan = planOf(this);
  }

  /** Lets clients upload while faults happen, then ends the faults and lets everything settle. */
  async run(): Promise<void> {
    enter(this.time, this.random.fork('processes'));
    try {
      for (const slot of this.slots) slot.start();
      this.deleteOld();
      let isSent = false;
      void Promise.all(this.clients.map((client) => client.run())).then(() => (isSent = true));
      const isLate = (): boolean => this.time.elapsed > LONGEST_SENDING_MS;
      await this.time.run(() => isSent || this.violations.length > 0 || isLate());
      if (isLate()) this.violated('clients wait for ever');
      this.comeRight();
      const until = this.time.now() + LONGEST_SETTLING_MS;
      await this.settle(until);
      await this.lookAround();
      // A gateway that starts now has seen nothing of what happened before.
      for (const slot of this.gateways) slot.stop();
      await this.settle(until);
      await this.lookAround();
    } finally {
      leave();
    }
  }

  readonly trace = (actor: Actor, what: string): void => {
    this.lines.push(`${this.time.elapsed.toFixed(2)} ${actor.name} ${what}`);
  };

  readonly fault = (kind: string): void => {
    this.faults.set(kind, 1 + (this.faults.get(kind) ?? 0));
  };

  /** Records a violation, which ends the run. */
  violated(what: string): void {
    this.trace(this.actor, `VIOLATION ${what}`);
    this.violations.push(what);
  }

  begun(requestId: string, upload: Begun): void {
    this.uploads.set(requestId, upload);
    this.trace(this.actor, `upload ${this.uploads.size} is ${requestId}`);
    for (const { at, act } of this.plan) {
      if (at === this.uploads.size) {
        this.time.after(this.actor, this.random.between(0, 2_000), act);
      }
    }
  }

  /**
   * Spares processes while an upload is processed alone, unless that upload is the cause: ingest
   * blames a death on such an upload, and rejects it after three.
   */
  private readonly kill = (actor: Actor, why: string): void => {
    const slot = this.slots.find((each) => each.actor === actor);
    if (slot === undefined || (why !== MARKS.kills && isAnyAlone(slot.journal))) return;
    this.fault('process killed');
    slot.end(`killed ${why}`);
  };

  private comeRight(): void {
    this.trace(this.actor, 'everything comes right');
    for (const server of [this.broker, this.warehouse]) {
      server.options = { ...server.options, faults: NO_FAULTS };
      server.awayUntil = 0;
    }
    this.warehouse.content = NOTHING_WRONG;
  }

  /** Runs until nothing is left to do. */
  private async settle(until: number): Promise<void> {
    while (this.violations.length === 0 && !this.isQuiet()) {
      if (this.time.now() > until) {
        this.violated(`it does not come to rest: ${this.unrest()}`);
        return;
      }
      await this.pass(1_000);
    }
  }

  private async pass(milliseconds: number): Promise<void> {
    let isOver = false;
    this.time.after(this.actor, milliseconds, () => (isOver = true));
    await this.time.run(() => isOver);
  }

  private get gateways(): Slot[] {
    return this.slots.filter(({ role }) => role === 'gateway');
  }

  /** Asks every gateway for every request. Starts over when a gateway has ended meanwhile. */
  private async lookAround(): Promise<void> {
    if (this.violations.length > 0) return;
    await this.pass(LONGEST_LAG_MS);
    // The faults planned for the last upload may have happened meanwhile.
    await this.settle(this.time.now() + LONGEST_SETTLING_MS);
    // A gateway that was frozen may lag behind again.
    await this.pass(LONGEST_LAG_MS);
    const { gateways } = this;
    // One may have been killed meanwhile, and be starting.
    if (gateways.some(({ gateway }) => gateway === undefined)) return this.lookAround();
    const requests = [...this.warehouse.requests];
    let left = requests.length * gateways.length;
    for (const { actor, gateway, name } of gateways) {
      for (const [requestId, { status }] of requests) {
        this.time.after(actor!, 0, () => {
          void gateway!.lookup.find(requestId).then((found) => {
            const answer = typeof found === 'string' ? found : found.status;
            if (answer !== status)
              this.violated(`${name} says ${answer} of ${requestId}, not ${status}`);
            left--;
          });
        });
      }
    }
    const asked = gateways.map(({ actor }) => actor!);
    const isAnyGone = (): boolean => asked.some(({ isAlive }) => !isAlive);
    await this.time.run(() => left === 0 || this.violations.length > 0 || isAnyGone());
    if (left > 0) await this.lookAround();
  }

  private isQuiet(): boolean {
    return this.unrest() === '';
  }

  private unrest(): string {
    const { broker } = this;
    const unread = (['uploads', 'status'] as const).flatMap((topic) => {
      const { committed } = broker.group(topic, topic === 'uploads' ? 'ingest' : 'status-history');
      const firsts = broker.firsts(topic);
      return broker.ends(topic).flatMap((end, i) => {
        // Nobody commits past what retention has deleted, until the next record follows.
        const first = Math.max(committed[i]!, firsts[i]!);
        return first === end ? [] : [`${topic}/${i} at ${first} of ${end}`];
      });
    });
    const down = this.slots.flatMap(({ name, isUp }) => (isUp ? [] : [`${name} is down`]));
    const frozen = this.slots.flatMap(({ actor, name }) =>
      (actor?.stoppedUntil ?? 0) > this.time.now() ? [`${name} is frozen`] : [],
    );
    const away = [broker, this.warehouse].flatMap(({ actor, isAway }) =>
      isAway ? [`${actor.name} is away`] : [],
    );
    return [...unread, ...down, ...frozen, ...away].join(', ');
  }

  private deleteOld(): void {
    this.broker.deleteOld('uploads');
    this.time.after(this.actor, RETENTION_PAUSE_MS, () => {
      this.deleteOld();
    });
  }
}
