import { consumerLag, consumerLagSeconds } from '../ops/metrics.js';
import { timeOf } from './offsets-at.js';
import type { RecordPosition, Topic, UploadLog } from './upload-log.js';

export interface ConsumerGroup {
  readonly topic: Topic;
  readonly group: string;
}

/** A partition in which the group has something to read. */
export interface UnreadPartition extends RecordPosition {
  /** How many records, from `offset` on. */
  readonly records: number;
}

/** Where records wait for the group, by what the log says now. */
export async function unreadPartitions(
  log: UploadLog,
  { topic, group }: ConsumerGroup,
): Promise<UnreadPartition[]> {
  // In this order, or a commit in between would be beyond the end.
  const committed = await log.committedOffsets(topic, group);
  const ends = await log.endOffsets(topic);
  return ends.flatMap((end, partition) => {
    const offset = committed[partition] ?? 0;
    return offset < end ? [{ partition, offset, records: end - offset }] : [];
  });
}

/**
 * The lag of consumer groups as gauges, in records and in seconds, by partition. There are none
 * while the log does not answer.
 */
export class ConsumerLagGauges {
  /** The first unread record by group and partition, so that a waiting record is read once. */
  private readonly firstUnread = new Map<string, { offset: number; timestamp: number }>();

  constructor(
    private readonly log: UploadLog,
    private readonly groups: readonly ConsumerGroup[],
  ) {}

  /** @throws LogUnavailableError */
  async measure(): Promise<void> {
    try {
      await Promise.all(this.groups.map((group) => this.measureGroup(group)));
    } catch (error) {
      // Dashboards show the maximum over all processes: an old value must not be it.
      consumerLag.reset();
      consumerLagSeconds.reset();
      throw error;
    }
  }

  private async measureGroup(of: ConsumerGroup): Promise<void> {
    const unread = await unreadPartitions(this.log, of);
    const ages = await Promise.all(unread.map((partition) => this.age(of, partition)));
    for (let partition = 0; partition < this.log.partitions(of.topic); partition++) {
      const i = unread.findIndex((each) => each.partition === partition);
      consumerLag.set({ ...of, partition }, unread[i]?.records ?? 0);
      consumerLagSeconds.set({ ...of, partition }, ages[i] ?? 0);
    }
  }

  private async age({ topic, group }: ConsumerGroup, first: UnreadPartition): Promise<number> {
    const key = `${group}/${first.partition}`;
    let known = this.firstUnread.get(key);
    if (known?.offset !== first.offset) {
      known = { offset: first.offset, timestamp: await timeOf(this.log, topic, first) };
      this.firstUnread.set(key, known);
    }
    return Math.max(0, (Date.now() - known.timestamp) / 1000);
  }
}
