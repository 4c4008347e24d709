import { Failure } from '../../../src/domain/failure.js';
import {
  type Consumption,
  type LogRecord,
  LogUnavailableError,
  type RecordHandler,
  type Topic,
} from '../../../src/log/upload-log.js';
import { NO_FAULTS } from '../network.js';
import type { Actor } from '../time.js';
import type { Broker } from './broker.js';
import type { Group, Membership } from './group.js';

const RETRY_MS = 200;
const MOST_RECORDS = 40;

/** One partition from its assignment to its revocation. */
class Assignment {
  isRevoked = false;
  isTold = false;
  next = 0;
  call: Promise<void> = Promise.resolve();

  constructor(readonly partition: number) {}
}

/** One member of a group. It behaves like `KafkaConsumption`. */
export class SimulatedConsumption implements Consumption {
  isStopped = false;
  private readonly failure = new Failure();
  private readonly assignments = new Map<number, Assignment>();
  private readonly lastCalls = new Map<number, Promise<void>>();
  private readonly handed = new Map<number, number>();
  private readonly group: Group;
  private generation = -1;
  private hasLeft = false;
  private isJoining = false;

  constructor(
    private readonly broker: Broker,
    private readonly actor: Actor,
    private readonly topic: Topic,
    group: string,
    private readonly id: string,
    private readonly timeoutMs: number,
    private readonly handler: RecordHandler,
  ) {
    this.group = broker.group(topic, group);
    void this.join();
    void this.beat();
  }

  get failed(): Promise<never> {
    return this.failure.promise;
  }

  async commit(partition: number, offset: number): Promise<void> {
    if (offset > (this.handed.get(partition) ?? 0)) {
      throw new RangeError(`offset ${offset} of partition ${partition} was not handed over`);
    }
    const assignment = this.assignments.get(partition);
    if (assignment === undefined || offset > assignment.next) return;
    const until = this.broker.network.time.now() + this.timeoutMs;
    const { topic, generation, id } = this;
    while (!assignment.isRevoked) {
      try {
        // One connection executes its requests in order, so a commit is never late or repeated.
        const faults = { ...this.broker.options.faults, late: 0, repeated: 0 };
        const isTaken = await this.broker.ask(
          this.actor,
          `commit ${topic}/${partition}@${offset}`,
          () => this.group.commit(id, generation, partition, offset),
          faults,
        );
        if (!isTaken) void this.join();
        return;
      } catch {
        if (this.isStopped && this.broker.network.time.now() > until) {
          throw new LogUnavailableError('not committed');
        }
      }
      await this.pause();
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all([...this.assignments.values()].map(({ call }) => call));
    await Promise.all(this.lastCalls.values());
  }

  async leave(): Promise<void> {
    await this.stop();
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.revokeAll();
    const { group, id } = this;
    await this.broker
      .ask(
        this.actor,
        `leave ${this.topic}`,
        () => {
          group.leave(id);
        },
        NO_FAULTS,
      )
      .catch(() => undefined);
  }

  private async join(): Promise<void> {
    if (this.isJoining || this.hasLeft) return;
    this.isJoining = true;
    this.revokeAll();
    const { group, id, actor } = this;
    for (;;) {
      try {
        const membership = await new Promise<Membership>((resolve, reject) => {
          this.broker
            .ask(
              actor,
              `join ${this.topic}`,
              () => {
                group.join(id, actor, resolve);
              },
              NO_FAULTS,
            )
            .catch(reject);
        });
        this.joined(membership);
        return;
      } catch {
        await this.pause();
      }
    }
  }

  private joined({ generation, partitions }: Membership): void {
    this.isJoining = false;
    this.generation = generation;
    if (this.hasLeft || this.isStopped) return;
    for (const partition of partitions) {
      const assignment = new Assignment(partition);
      this.assignments.set(partition, assignment);
      void this.read(assignment).catch(this.failure.report);
    }
  }

  private async beat(): Promise<void> {
    while (!this.hasLeft) {
      await this.pause(this.broker.sessionMs / 4);
      if (!this.isJoining) await this.heartbeat();
    }
  }

  private async heartbeat(): Promise<void> {
    if (this.hasLeft) return;
    const { group, id, generation } = this;
    const isMember = await this.broker
      .ask(this.actor, `heartbeat ${this.topic}`, () => group.heartbeat(id, generation), NO_FAULTS)
      .catch(() => true);
    if (!isMember && generation === this.generation) void this.join();
  }

  private async read(assignment: Assignment): Promise<void> {
    const { partition } = assignment;
    const isOver = (): boolean => assignment.isRevoked || this.isStopped;
    const committed = await this.asked(
      `committed ${this.topic}/${partition}`,
      () => this.group.committed[partition]!,
      isOver,
    );
    await this.lastCalls.get(partition);
    if (isOver() || committed === undefined) return;
    assignment.next = committed;
    assignment.isTold = true;
    this.handler.assigned(partition, committed);
    this.note(assignment);
    while (!isOver()) {
      const { next } = assignment;
      await new Promise<void>((resolve) => {
        this.broker.whenThere(this.topic, partition, next, this.actor, resolve);
      });
      const most = 1 + this.broker.network.random.int(MOST_RECORDS);
      const fetched = await this.asked(
        `fetch ${this.topic}/${partition}@${next}`,
        () => this.broker.fetch(this.topic, partition, next, most),
        isOver,
      );
      if (fetched === undefined || isOver()) return;
      assignment.next = fetched.next;
      this.note(assignment);
      if (fetched.records.length > 0) await this.hand(assignment, fetched.records);
    }
  }

  private hand(assignment: Assignment, records: readonly LogRecord[]): Promise<void> {
    assignment.call = this.handler
      .records(assignment.partition, records)
      .catch((error: unknown) => {
        this.failure.report(error);
        void this.leave();
      });
    return assignment.call;
  }

  /** Retries until there is an answer. Undefined once `isOver` returns true. */
  private async asked<T>(
    what: string,
    act: () => T,
    isOver: () => boolean,
  ): Promise<T | undefined> {
    while (!isOver()) {
      try {
        return await this.broker.ask(this.actor, what, act);
      } catch {
        await this.pause();
      }
    }
    return undefined;
  }

  private revokeAll(): void {
    for (const [partition, assignment] of this.assignments) {
      this.lastCalls.set(partition, assignment.call);
      assignment.isRevoked = true;
      if (!this.isStopped && assignment.isTold) this.handler.revoked(partition);
    }
    this.assignments.clear();
  }

  private note({ partition, next }: Assignment): void {
    this.handed.set(partition, Math.max(next, this.handed.get(partition) ?? 0));
  }

  private pause(milliseconds = RETRY_MS): Promise<void> {
    return new Promise((resolve) => {
      this.broker.network.time.after(this.actor, milliseconds, resolve);
    });
  }
}
