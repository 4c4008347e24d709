import kafkajs, { type PartitionMetadata } from 'kafkajs';

const choose = kafkajs.Partitioners.DefaultPartitioner();

/** The partition of a key, as every Kafka client chooses it (murmur2). Equal keys share a partition. */
export function partitionOfKey(key: string, partitions: number): number {
  // Of the partitions only their number is looked at.
  const partitionMetadata = new Array<PartitionMetadata>(partitions).fill(ANY_PARTITION);
  return choose({ topic: '', partitionMetadata, message: { key, value: null } });
}

const ANY_PARTITION: PartitionMetadata = {
  partitionErrorCode: 0,
  partitionId: 0,
  leader: 0,
  replicas: [],
  isr: [],
};
