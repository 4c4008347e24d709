import { Measurement } from '../ops/measurement.js';
import { consumerLag, consumerLagSeconds } from '../ops/metrics.js';
import { firstKept } from './offsets-at.js';
import type { RecordPosition, Topic, UploadLog } from './upload-log.js';

export interface ConsumerGroup {
  readonly topic: Topic;
  readonly group: string;
}

/**
 * The lag of consumer groups as gauges, in records and in seconds, by partition. There are none
 * while the log does not answer.
 *
 * Only records that the log still keeps count. A group does not commit past what retention has
 * deleted before the next record follows, and that may take for ever.
 */
export class ConsumerLagGauges extends Measurement {
  constructor(log: UploadLog, groups: readonly ConsumerGroup[]) {
    super(async () => {
      for (const group of groups) await measureGroup(log, group);
    }, [consumerLag, consumerLagSeconds]);
  }
}

/** @throws LogUnavailableError */
async function measureGroup(log: UploadLog, of: ConsumerGroup): Promise<void> {
  const { topic, group } = of;
  // In this order, or a commit in between would be beyond the end.
  const committed = await log.committedOffsets(topic, group);
  const ends = await log.endOffsets(topic);
  const lags = await Promise.all(
    ends.map((end, partition) =>
      lagOf(log, topic, { partition, offset: committed[partition] ?? 0 }, end),
    ),
  );
  for (const [partition, { records, seconds }] of lags.entries()) {
    consumerLag.set({ ...of, partition }, records);
    consumerLagSeconds.set({ ...of, partition }, seconds);
  }
}

async function lagOf(
  log: UploadLog,
  topic: Topic,
  committed: RecordPosition,
  end: number,
): Promise<{ records: number; seconds: number }> {
  const first = await firstKept(log, topic, committed, end);
  if (first === undefined) return { records: 0, seconds: 0 };
  const seconds = Math.max(0, (Date.now() - first.timestamp) / 1000);
  return { records: end - first.offset, seconds };
}
