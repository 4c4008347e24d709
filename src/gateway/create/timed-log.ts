import { Inject, Injectable } from '@nestjs/common';

import { inTime } from '../../domain/in-time.js';
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
 * Appends whose caller has given up. Their records stay in memory until the log has settled them:
 * without a bound, a log that hangs would fill the memory with the clients' retries.
 */
const MAX_ABANDONED = 128;

/** Appends that are waited for in bounded time. */
@Injectable()
export class TimedLog {
  private abandoned = 0;
  private waiting = 0;

  constructor(
    @Inject(UPLOAD_LOG) private readonly log: UploadLog,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /** Appends that are waited for now. */
  get underWay(): number {
    return this.waiting;
  }

  partitions(topic: Topic): number {
    return this.log.partitions(topic);
  }

  /**
   * Resolves when the record is durable, with its position.
   *
   * @throws LogUnavailableError when the log fails or does not answer in time
   */
  async append(topic: Topic, record: RecordToAppend): Promise<RecordPosition> {
    const [position] = await this.timed([topic], () => this.log.append(topic, [record]));
    return position!;
  }

  /**
   * Resolves when all are durable. The records of a topic are never there without those of the
   * topics before it.
   *
   * @throws LogUnavailableError as of `append`; any of the topics may have its records
   */
  async appendInOrder(...appends: TopicRecords[]): Promise<void> {
    const topics = appends.map(({ topic }) => topic);
    await this.timed(topics, () => this.log.appendInOrder(appends));
  }

  private async timed<T>(topics: readonly Topic[], append: () => Promise<T>): Promise<T> {
    if (this.abandoned >= MAX_ABANDONED) throw new LogUnavailableError('the log does not answer');
    const appended = append();
    this.waiting += 1;
    try {
      const what = `append to ${topics.join(', then ')}`;
      return await answerOf(what, appended, this.config.limits.logTimeoutMs, () => {
        this.abandoned += 1;
        const settled = (): void => {
          this.abandoned -= 1;
        };
        appended.then(settled, settled);
      });
    } finally {
      this.waiting -= 1;
    }
  }
}

/**
 * The log's answer, if it comes in time.
 *
 * @param what was asked, for the message
 * @throws LogUnavailableError for every failure: all that the client can do is send again
 */
export async function answerOf<T>(
  what: string,
  answer: Promise<T>,
  timeoutMs: number,
  onTimeout?: () => void,
): Promise<T> {
  try {
    return await inTime(answer, timeoutMs, () => {
      onTimeout?.();
      throw new LogUnavailableError(`${what}: no answer of the log within ${timeoutMs} ms`);
    });
  } catch (error) {
    if (error instanceof LogUnavailableError) throw error;
    throw new LogUnavailableError(`${what}: the log failed`, { cause: error });
  }
}
