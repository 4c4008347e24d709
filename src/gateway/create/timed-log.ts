import { Inject, Injectable } from '@nestjs/common';
import {
  LogUnavailableError,
  type RecordPosition,
  type RecordToAppend,
  type Topic,
  type UploadLog,
} from '../../log/upload-log.js';
import { GATEWAY_CONFIG, UPLOAD_LOG, type GatewayConfig } from '../dependencies.js';
import { within } from './within.js';

/**
 * Appends whose answer nobody waits for any more. Their records stay in memory until the log has
 * settled them, so a log that hangs would fill the memory by the clients' retries alone.
 */
const MAX_ABANDONED = 128;

/** Appends with an end to the waiting. */
@Injectable()
export class TimedLog {
  private abandoned = 0;

  constructor(
    @Inject(UPLOAD_LOG) private readonly log: UploadLog,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  partitions(topic: Topic): number {
    return this.log.partitions(topic);
  }

  /**
   * Resolves when the records are durable, with the position of the first.
   *
   * @throws LogUnavailableError when the log fails or does not answer in time
   */
  async append(topic: Topic, ...records: RecordToAppend[]): Promise<RecordPosition> {
    if (this.abandoned >= MAX_ABANDONED) throw new LogUnavailableError('the log does not answer');
    const appended = this.log.append(topic, records);
    const [position] = await within(this.config.limits.logTimeoutMs, appended, () => {
      this.abandoned += 1;
      const settled = (): void => {
        this.abandoned -= 1;
      };
      appended.then(settled, settled);
    });
    return position!;
  }
}
