import type { LogRecord } from '../../../src/log/upload-log.js';
import type { Load } from '../service/load.js';

export interface UploadUnderWay {
  readonly account: string;
  readonly partition: number;
  /** When the brokers appended its first chunk, in milliseconds since the epoch. */
  readonly firstAt: number;
}

/** Uploads whose first chunk is in the topic and whose client has no answer yet. */
export class UploadsUnderWay {
  /** The latest upload, by account. */
  private readonly last = new Map<string, UploadUnderWay & { readonly requestId: string }>();

  /** Handler for a tail of the topic. */
  readonly take = (records: readonly LogRecord[]): void => {
    for (const { headers, partition, timestamp } of records) {
      const { account, requestId } = headers;
      if (headers['type'] !== 'chunk' || account === undefined || requestId === undefined) continue;
      if (this.last.get(account)?.requestId === requestId) continue;
      this.last.set(account, { account, partition, firstAt: timestamp, requestId });
    }
  };

  /** The load's uploads that are under way now. An account sends one upload after the other. */
  of(load: Load): UploadUnderWay[] {
    const since = load.sendingSince;
    return [...this.last.values()].filter(
      ({ account, firstAt }) => firstAt >= (since.get(account) ?? Infinity),
    );
  }
}
