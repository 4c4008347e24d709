import type { Topic, UploadLog } from './upload-log.js';
import { consumerLag } from '../ops/metrics.js';

export interface ConsumerGroup {
  readonly topic: Topic;
  readonly group: string;
}

/** Sets the lag of every partition of the groups, by what the log says now. */
export async function measureLag(log: UploadLog, groups: readonly ConsumerGroup[]): Promise<void> {
  for (const { topic, group } of groups) {
    const [ends, committed] = await Promise.all([
      log.endOffsets(topic),
      log.committedOffsets(topic, group),
    ]);
    ends.forEach((end, partition) => {
      consumerLag.set({ topic, group, partition }, end - (committed[partition] ?? 0));
    });
  }
}
