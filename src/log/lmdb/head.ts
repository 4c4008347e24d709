import { TOPICS, type Topic } from '../upload-log.js';

export interface PartitionEnd {
  /** The offset that the next record gets. */
  offset: number;
  /** The timestamp of the last record, in milliseconds since the epoch; 0 before the first. */
  timestamp: number;
}

/**
 * The end of every partition of every topic, by partition number. It is one entry of the store,
 * replaced with every commit, so no offset is given twice, whatever has been deleted.
 */
export type Head = Readonly<Record<Topic, PartitionEnd[]>>;

/** What a commit leaves: the head, and a version that no other commit has. */
export interface Tip {
  readonly head: Head;
  readonly version: number;
}

/** Random, out of 2^53: no two commits, of any processes, have the same. */
export function newVersion(): number {
  return Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
}

/** @param partitions how many each topic has; 1 where none is named */
export function emptyHead(partitions: Partial<Record<Topic, number>>): Head {
  const ends = (topic: Topic): PartitionEnd[] =>
    Array.from({ length: partitions[topic] ?? 1 }, () => ({ offset: 0, timestamp: 0 }));
  return Object.fromEntries(TOPICS.map((topic) => [topic, ends(topic)])) as unknown as Head;
}

export function copyOf(head: Head): Head {
  const ends = (topic: Topic): PartitionEnd[] => head[topic].map((end) => ({ ...end }));
  return Object.fromEntries(TOPICS.map((topic) => [topic, ends(topic)])) as unknown as Head;
}

/** Whether `head` has records that `other` does not have. */
export function isAhead(head: Head, other: Head): boolean {
  return TOPICS.some((topic) =>
    head[topic].some(({ offset }, partition) => offset > (other[topic][partition]?.offset ?? 0)),
  );
}

/** The partition of a key: FNV-1a over its UTF-16 code units. Equal keys share a partition. */
export function partitionOfKey(key: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) {
    hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % partitions;
}
