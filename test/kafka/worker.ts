import { setTimeout as sleep } from 'node:timers/promises';

import type { Consumption, UploadLog } from '../../src/log/upload-log.js';
import { Collector } from './collector.js';

/** Consumes and commits each batch. Records a fault if a batch does not follow the last one. */
export class Worker extends Collector {
  readonly faults: string[] = [];
  private readonly next = new Map<number, number>();
  consumption!: Consumption;

  constructor(readonly workMs = 0) {
    super(async (partition, records) => {
      const expected = this.next.get(partition)!;
      // The rest of a batch may arrive after a revocation. A gap must never occur.
      if (this.owned.has(partition) && records[0]!.offset !== expected) {
        this.faults.push(`${partition}: ${records[0]!.offset} instead of ${expected}`);
      }
      if (this.workMs > 0) await sleep(this.workMs);
      const next = records.at(-1)!.offset + 1;
      this.next.set(partition, next);
      await this.consumption.commit(partition, next);
    });
  }

  static async start(log: UploadLog, workMs = 0): Promise<Worker> {
    const worker = new Worker(workMs);
    worker.consumption = await log.consume('uploads', 'ingest', worker);
    return worker;
  }

  override assigned(partition: number, offset: number): void {
    super.assigned(partition, offset);
    this.next.set(partition, offset);
  }
}
