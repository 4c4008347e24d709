import type { Limits } from '../../config/config.js';
import type { InsertSize } from '../../warehouse/row-store.js';
import type { BatchItem, ValidUpload } from '../upload-in-flight.js';
import type { BatchSettler } from '../write/settle-batch.js';

interface WaitingItem extends BatchItem {
  /** On the clock of `performance.now`, which never steps. */
  readonly since: number;
}

/**
 * This part of a full batch is worth an insert beside the one under way. With less, files of ten
 * rows made twice as many parts, which cost 1.5 times the processor time.
 */
const WORTH_A_SECOND = 1 / 8;

/**
 * Collects the prepared uploads of one family into batches. The warehouse gets one at a time while
 * more uploads are on their way.
 *
 * The next batch goes out when it is full (rows or bytes), when its first upload has waited
 * `batchMs`, or when no further upload is on its way. So a lone upload waits for nothing, and under
 * load batches grow with the warehouse's pace. With two at a time they were half as large, and the
 * parts that the engine then merged cost more than the second insert gained. Uploads that are still
 * coming out of the log count as on their way: without them batches on Kafka were half as large.
 *
 * Once nothing is on its way the preparing threads are idle, and a second batch is written beside
 * the first, because an insert keeps one core busy.
 */
export class Batcher {
  private items: WaitingItem[] = [];
  private rows = 0;
  private bytes = 0;
  private writing = 0;
  private timer: NodeJS.Timeout | undefined;
  private isDue = false;

  /** @param isMoreComing whether uploads are on their way that may join the batch */
  constructor(
    private readonly limits: Pick<Limits, 'batchRows' | 'batchBytes' | 'batchMs'>,
    private readonly isMoreComing: () => boolean,
    private readonly settler: Pick<BatchSettler, 'settle'>,
  ) {}

  /**
   * Resolves with nothing when the upload is `succeeded` or `failed` and the log knows it; or with
   * what it needs, when the warehouse has no memory for it.
   */
  write(upload: ValidUpload): Promise<InsertSize | undefined> {
    return new Promise((resolve, reject) => {
      this.items.push({ upload, resolve, reject, since: performance.now() });
      this.rows += upload.prepared.rows;
      this.bytes += upload.end.bytes;
      this.timer ??= this.timerOfFirst();
      this.flushIfReady();
    });
  }

  /** To be called when no further upload is on its way. */
  flushIfReady(): void {
    while (this.items.length > 0 && this.writing < this.atOnce() && this.isReady()) {
      this.writing++;
      void this.settler.settle(this.take()).finally(() => {
        this.writing--;
        this.flushIfReady();
      });
    }
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private atOnce(): number {
    const isWorthASecond = this.rows >= WORTH_A_SECOND * this.limits.batchRows;
    return isWorthASecond && !this.isMoreComing() ? 2 : 1;
  }

  private isReady(): boolean {
    const { batchRows, batchBytes } = this.limits;
    return this.rows >= batchRows || this.bytes >= batchBytes || this.isDue || !this.isMoreComing();
  }

  /** The oldest items that fit the limits, at least one. */
  private take(): BatchItem[] {
    const { batchRows, batchBytes } = this.limits;
    let rows = 0;
    let bytes = 0;
    let count = 0;
    for (const { upload } of this.items) {
      rows += upload.prepared.rows;
      bytes += upload.end.bytes;
      if (count > 0 && (rows > batchRows || bytes > batchBytes)) break;
      count++;
    }
    const batch = this.items.slice(0, count);
    this.items = this.items.slice(count);
    for (const { upload } of batch) {
      this.rows -= upload.prepared.rows;
      this.bytes -= upload.end.bytes;
    }
    clearTimeout(this.timer);
    this.isDue = false;
    this.timer = this.items.length > 0 ? this.timerOfFirst() : undefined;
    return batch;
  }

  private timerOfFirst(): NodeJS.Timeout {
    const waited = performance.now() - this.items[0]!.since;
    return setTimeout(
      () => {
        this.isDue = true;
        this.flushIfReady();
      },
      Math.max(0, this.limits.batchMs - waited),
    );
  }
}
