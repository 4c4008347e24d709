import { setTimeout as sleep } from 'node:timers/promises';

import type { UploadLog } from '../../src/log/upload-log.js';
import { record } from '../support/log/log-folders.js';

/** Appends numbered records to the topic `uploads`, eight at a time, partition after partition. */
export class SteadyAppends {
  /** How many records have been made. Each value is its number. */
  count = 0;
  private readonly stopping = new AbortController();
  private readonly appending: Promise<void>;

  constructor(
    private readonly log: UploadLog,
    private readonly partitions: number,
  ) {
    this.appending = this.run();
  }

  /** Resolves when the last append is acknowledged. */
  stop(): Promise<void> {
    this.stopping.abort();
    return this.appending;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const next = Array.from({ length: 8 }, () =>
        record(`${this.count}`, { partition: this.count++ % this.partitions }),
      );
      await this.log.append('uploads', next);
      await sleep(10);
    }
  }
}
