import { isFinal, rankOf } from '../../src/status/transition.js';
import { transitionOf } from '../../src/status/publisher.js';
import type { LogRecord } from '../../src/log/upload-log.js';
import type { World } from './world.js';

/** Checks with each commit that no record below the offset is still needed. */
export class Commits {
  private readonly finished = new Set<string>();
  /** How far each partition of the status topic was read. */
  private readonly seen: number[] = [];

  constructor(private readonly world: World) {}

  /** @param records the records that this commit newly covers */
  check(group: string, records: readonly LogRecord[]): void {
    if (group === 'uploads/ingest') this.checkUploads(records);
    if (group === 'status/status-history') this.checkHistory(records);
  }

  /** Every upload whose end is committed must be final in the log. */
  private checkUploads(records: readonly LogRecord[]): void {
    this.lookOn();
    for (const { headers, offset, partition } of records) {
      const { type, requestId } = headers;
      if (type !== 'end' || this.finished.has(requestId!)) continue;
      this.world.violated(
        `uploads/${partition}@${offset} is committed before ${requestId} is final`,
      );
    }
  }

  /** The history must have every committed transition, or a later one of the request. */
  private checkHistory(records: readonly LogRecord[]): void {
    for (const { value, offset, partition } of records) {
      const { requestId, status } = transitionOf(value);
      const written = this.world.warehouse.requests.get(requestId);
      if (written !== undefined && rankOf(written.status) >= rankOf(status)) continue;
      this.world.violated(`status/${partition}@${offset} is committed before it is written`);
    }
  }

  private lookOn(): void {
    for (const [partition, end] of this.world.broker.ends('status').entries()) {
      const from = this.seen[partition] ?? 0;
      for (const { value } of this.world.broker.records('status', partition, from, end)) {
        const { requestId, status } = transitionOf(value);
        if (isFinal(status)) this.finished.add(requestId);
      }
      this.seen[partition] = end;
    }
  }
}
