import type { LogRecord } from '../../../src/log/upload-log.js';
import type { Load } from '../service/load.js';

export interface UploadUnderWay {
  readonly account: string;
  readonly partition: number;
  /** When the brokers took its first chunk, in milliseconds since the epoch. */
  readonly firstAt: number;
}

/** Uploads whose first chunk the brokers have and whose client has no answer, from the topic itself. */
export class UploadsUnderWay {
  /** By account: the upload that began last. */
  private readonly last = new Map<string, UploadUnderWay & { readonly requestId: string }>();

  /** What a tail of the topic is to call. */
  readonly take = (records: readonly LogRecord[]): void => {
    for (const { headers, partition, timestamp } of records) {
      const { account, requestId } = headers;
      if (headers['type'] !== 'chunk' || account === undefined || requestId === undefined) continue;
      if (this.last.get(account)?.requestId === requestId) continue;
      this.last.set(account, { account, partition, firstAt: timestamp, requestId });
    }
  };

  /** Of the clients of the load, now; accounts send one upload after the other. */
  of(load: Load): UploadUnderWay[] {
    const since = load.sendingSince;
    return [...this.last.values()].filter(
      ({ account, firstAt }) => firstAt >= (since.get(account) ?? Infinity),
    );
  }
}
