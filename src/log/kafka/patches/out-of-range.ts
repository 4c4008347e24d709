import OffsetManager from 'kafkajs/src/consumer/offsetManager/index.js';

/**
 * Fixes kafkajs 2.2.4 in this process: when a broker says that an offset is out of range, kafkajs
 * commits for the whole group that it begins at the first record, and only then looks for it. But a
 * former leader that is behind says so too. Here kafkajs only fetches the first record, and the
 * consumption finds out where to go on.
 */
export function mendOutOfRange(): void {
  OffsetManager.prototype.setDefaultOffset = async function (
    this: OffsetManager,
    { topic, partition },
  ): Promise<void> {
    const [answer] = await this.cluster.fetchTopicsOffset([
      { topic, partitions: [{ partition }], fromBeginning: true },
    ]);
    const first = Number(answer!.partitions[0]!.offset);
    this.resolveOffset({ topic, partition, offset: String(first - 1) });
  };
}
