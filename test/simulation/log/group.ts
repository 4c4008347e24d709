import type { Topic } from '../../../src/log/upload-log.js';
import type { Actor } from '../time.js';
import type { Broker } from './broker.js';

export interface Membership {
  readonly generation: number;
  readonly partitions: readonly number[];
}

interface Member {
  readonly actor: Actor;
  /** The group removes the member if it hears nothing from it until then. */
  deadline: number;
  /** Called when all members have joined. */
  joined: ((membership: Membership) => void) | undefined;
  partitions: readonly number[];
}

/**
 * A consumer group as the broker sees it: its members, their partitions and the committed offsets.
 * When a member comes, goes or is silent for too long, all members must join again. The group
 * removes those that do not in time, and refuses their commits.
 */
export class Group {
  readonly committed: number[];
  generation = 0;
  private readonly members = new Map<string, Member>();
  private isJoining = false;

  constructor(
    private readonly broker: Broker,
    private readonly topic: Topic,
    private readonly name: string,
    private readonly partitions: number,
  ) {
    this.committed = Array.from({ length: partitions }, () => 0);
  }

  get isEmpty(): boolean {
    return this.members.size === 0;
  }

  join(id: string, actor: Actor, joined: (membership: Membership) => void): void {
    this.members.set(id, { actor, deadline: Infinity, joined, partitions: [] });
    if (this.isJoining) this.completeIfAll();
    else this.begin();
  }

  /** Whether the member belongs to the current generation. */
  heartbeat(id: string, generation: number): boolean {
    const member = this.members.get(id);
    if (member === undefined || generation !== this.generation || this.isJoining) return false;
    this.expect(id, member);
    return true;
  }

  /** Returns whether the commit was accepted. */
  commit(id: string, generation: number, partition: number, offset: number): boolean {
    const member = this.members.get(id);
    if (generation !== this.generation || member?.partitions.includes(partition) !== true)
      return false;
    const before = this.committed[partition]!;
    this.committed[partition] = offset;
    if (offset > before) this.broker.committed(this.topic, this.name, partition, before, offset);
    return true;
  }

  leave(id: string): void {
    if (this.members.delete(id)) this.changed();
  }

  private changed(): void {
    if (this.isJoining) this.completeIfAll();
    else if (this.members.size > 0) this.begin();
  }

  private begin(): void {
    this.isJoining = true;
    const { network, sessionMs, actor } = this.broker;
    const { generation } = this;
    network.time.after(actor, sessionMs, () => {
      if (this.isJoining && this.generation === generation) this.complete();
    });
    this.completeIfAll();
  }

  private completeIfAll(): void {
    if ([...this.members.values()].every(({ joined }) => joined !== undefined)) this.complete();
  }

  private complete(): void {
    for (const [id, { joined }] of this.members) if (joined === undefined) this.members.delete(id);
    this.isJoining = false;
    this.generation++;
    const { random, trace, time } = this.broker.network;
    const ids = [...this.members.keys()];
    const first = random.int(Math.max(1, ids.length));
    for (const [i, [id, member]] of [...this.members].entries()) {
      member.partitions = Array.from(
        { length: this.partitions },
        (_, partition) => partition,
      ).filter((partition) => (partition + first) % ids.length === i);
      trace(member.actor, `joined ${this.name} ${this.generation}: ${member.partitions.join(' ')}`);
      const { joined, partitions } = member;
      const { generation } = this;
      member.joined = undefined;
      this.expect(id, member);
      time.after(member.actor, this.broker.delay(), () => joined?.({ generation, partitions }));
    }
  }

  /** Removes the member if the group hears nothing more from it. */
  private expect(id: string, member: Member): void {
    const { network, sessionMs, actor } = this.broker;
    member.deadline = network.time.now() + sessionMs;
    network.time.after(actor, sessionMs, () => {
      const isSilent = this.members.get(id) === member && member.deadline <= network.time.now();
      if (!isSilent || member.joined !== undefined) return;
      this.members.delete(id);
      this.changed();
    });
  }
}
