import { logErrors } from '../../ops/metrics.js';
import type { Topic } from '../upload-log.js';
import { type Head, isAhead } from './head.js';
import type { LogStore } from './log-store.js';
import type { PartitionReader, PartitionSource } from './partition-reader.js';

/** How soon readers see what another process has appended. */
const POLL_MS = 250;

/** The known ends of all partitions, and the readers that wait for them to move. */
export class Ends {
  private readonly readers = new Set<PartitionReader>();
  private readonly poll: NodeJS.Timeout;
  private head: Head;

  constructor(private readonly store: LogStore) {
    this.head = store.readTip().head;
    this.poll = setInterval(() => {
      if (this.readers.size > 0) this.tryRefresh();
    }, POLL_MS).unref();
  }

  /** By partition: the offset that the next record gets. */
  offsets(topic: Topic): number[] {
    return this.head[topic].map((end) => end.offset);
  }

  source(topic: Topic, partition: number): PartitionSource {
    return {
      end: () => this.head[topic][partition]!.offset,
      read: (from, to) => this.store.readBatch(topic, partition, from, to),
    };
  }

  /** Makes `head` the ends unless a later one is known, and wakes the readers. */
  advance(head: Head): void {
    if (!isAhead(head, this.head)) return;
    this.head = head;
    for (const reader of this.readers) reader.wake();
  }

  /** Looks for commits of other processes. */
  refresh(): void {
    this.advance(this.store.readTip().head);
  }

  /** Runs the reader to its end, and wakes it at every change of the ends. */
  async run(reader: PartitionReader): Promise<void> {
    this.readers.add(reader);
    try {
      await reader.run();
    } finally {
      this.readers.delete(reader);
    }
  }

  stop(): void {
    clearInterval(this.poll);
  }

  private tryRefresh(): void {
    try {
      this.refresh();
    } catch {
      // The next poll tries again; this process's own commits wake the readers anyway.
      logErrors.inc({ operation: 'poll' });
    }
  }
}
