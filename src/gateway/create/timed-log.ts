import { Inject, Injectable } from '@nestjs/common';

import {
  LogUnavailableError,
  type RecordPosition,
  type RecordToAppend,
  type Topic,
  type TopicRecords,
  type UploadLog,
} from '../../log/upload-log.js';
import { GATEWAY_CONFIG, UPLOAD_LOG, type GatewayConfig } from '../dependencies.js';

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
    const [position] = await this.timed(() => this.log.append(topic, records));
    return position!;
  }

  /**
   * Resolves when all are durable; those of a topic are never there without those before it.
   *
   * @throws LogUnavailableError as of `append`; any of the topics may have its records
   */
  async appendInOrder(...appends: TopicRecords[]): Promise<void> {
    await this.timed(() => this.log.appendInOrder(appends));
  }

  private timed<T>(append: () => Promise<T>): Promise<T> {
    if (this.abandoned >= MAX_ABANDONED) throw new LogUnavailableError('the log does not answer');
    const appended = append();
    return within(this.config.limits.logTimeoutMs, appended, () => {
      this.abandoned += 1;
      const settled = (): void => {
        this.abandoned -= 1;
      };
      appended.then(settled, settled);
    });
  }
}

/**
 * What the log answers, if it does so in time.
 *
 * @throws LogUnavailableError for every failure of it: the client can but send again
 */
export function within<T>(
  timeoutMs: number,
  answer: Promise<T>,
  onTimeout?: () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      onTimeout?.();
      reject(new LogUnavailableError(`no answer of the log within ${timeoutMs} ms`));
    }, timeoutMs);
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(
          error instanceof LogUnavailableError
            ? error
            : new LogUnavailableError('the log failed', { cause: error }),
        );
      },
    );
  });
}
