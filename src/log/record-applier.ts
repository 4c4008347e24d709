import { retrying } from '../domain/retry.js';
import type { Component } from '../ops/components.js';
import type { Consumption, LogRecord, Topic, UploadLog } from './upload-log.js';

export interface Application {
  readonly topic: Topic;
  readonly group: string;
  /**
   * Applies a batch of records, each of which may have been applied before.
   *
   * @param signal aborted: whatever waits gives up, with any error
   */
  readonly apply: (records: readonly LogRecord[], signal: AbortSignal) => Promise<void>;
  /** Whether waiting may fix the error: the batch is then applied again. */
  readonly isPassing: (error: unknown) => boolean;
}

/**
 * Reads a topic in a group of its own and applies every batch of records before it is committed.
 * After a crash the next process applies it again.
 */
export async function startApplier(
  log: UploadLog,
  { topic, group, apply, isPassing }: Application,
): Promise<Component> {
  const aborting = new AbortController();
  const { signal } = aborting;
  const consumption: Consumption = await log.consume(topic, group, {
    // Every batch is committed as soon as it is applied: there is no state to begin or to drop.
    assigned: () => undefined,
    revoked: () => undefined,
    records: async (partition, records) => {
      await retrying(() => apply(records, signal), isPassing, signal);
      await consumption.commit(partition, records[records.length - 1]!.offset + 1);
    },
  });
  return {
    failed: consumption.failed,
    stop: async () => {
      aborting.abort();
      await consumption.stop();
    },
  };
}
