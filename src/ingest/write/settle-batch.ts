import { familyNamed } from '../../domain/families/index.js';
import { retrying, sleep } from '../../domain/retry.js';
import { timeOfVersion } from '../../domain/version.js';
import { stageDuration, timeToVisible } from '../../ops/metrics.js';
import type { InsertSize } from '../../warehouse/row-store.js';
import { isPassing } from '../../warehouse/warehouse.js';
import { beginSpan, endSpan, type Span, SpanKind } from '../../ops/tracing.js';
import type { StepDependencies } from '../dependencies.js';
import {
  type BatchItem,
  isErased,
  type UploadInFlight,
  type ValidUpload,
} from '../upload-in-flight.js';
import { failUpload } from './fail-upload.js';
import {
  BatchStore,
  type RejectedItem,
  type ShortItem,
  type Unstored,
  uploadsOf,
} from './batch-store.js';

const READ_BACK_PAUSE_MS = 1_000;

/** Makes batches visible and publishes the status of their uploads. */
export class BatchSettler {
  private readonly store: BatchStore;

  constructor(private readonly dependencies: StepDependencies) {
    this.store = new BatchStore(dependencies);
  }

  /**
   * Stores a batch and takes its uploads to their final status. Resolves when the batch is on disk:
   * the next one may be inserted while this one is read back. Never rejects.
   */
  async settle(batch: readonly BatchItem[]): Promise<void> {
    const span = spanOf(batch);
    try {
      // 1. On disk, as one part.
      const { rejected, short } = await this.store.store(batch);
      for (const { item, size } of short) item.resolve(size);
      void this.conclude(without(batch, short), rejected).finally(() => {
        endSpan(span);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Tries once to store an upload alone. @throws WarehouseError */
  storeAlone(upload: ValidUpload): Promise<void> {
    return this.store.insertOnce([upload]);
  }

  /**
   * Takes an upload that was stored alone to its final status. Resolves with what it needs, when it
   * has to be stored again and the warehouse has no memory for it.
   */
  concludeAlone(upload: ValidUpload): Promise<InsertSize | undefined> {
    return new Promise((resolve, reject) => {
      void this.conclude([{ upload, resolve, reject }], []);
    });
  }

  /** Takes the uploads of a batch that is on disk to their final status. */
  private async conclude(
    batch: readonly BatchItem[],
    rejected: readonly RejectedItem[],
  ): Promise<void> {
    const { publisher, erased } = this.dependencies;
    try {
      const stored = without(batch, rejected).filter(({ upload }) => !isErased(erased, upload));
      for (const { upload } of stored) {
        upload.rows = { ...upload.rows, stored: upload.prepared.rows };
      }
      // 2. `ingested` is published.
      await publisher.publish(uploadsOf(stored), 'ingested');
      // 3. A reader finds the rows again.
      const { rejected: lost, short } = await this.findAgain(stored);
      // 4. `succeeded` is published.
      const found = uploadsOf(without(stored, [...lost, ...short]));
      await publisher.publish(found, 'succeeded');
      // 5. What was rejected goes to the dead letters, and fails.
      for (const { item, error } of [...rejected, ...lost]) {
        await failUpload(this.dependencies, item.upload, error);
      }
      for (const upload of found) this.measure(upload);
      // 6. Only now may the log forget the records.
      for (const { resolve } of without(batch, short)) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /**
   * Stores missing rows again.
   *
   * @returns the uploads that were not stored again. Those without memory are resolved already.
   */
  private async findAgain(stored: readonly BatchItem[]): Promise<Unstored> {
    if (stored.length === 0) return { rejected: [], short: [] };
    const { rows, erased, waits, logger, signal } = this.dependencies;
    const family = familyNamed(stored[0]!.upload.family);
    const end = stageDuration.startTimer({ stage: 'read_back' });
    const rejected: RejectedItem[] = [];
    const short: ShortItem[] = [];
    let unstored: Unstored = { rejected: [], short: [] };
    let missing = stored;
    for (;;) {
      const uploads = uploadsOf(missing);
      const isWaitedFor = (error: unknown): boolean => {
        if (!isPassing(error)) return false;
        waits(uploads);
        return true;
      };
      const found = await retrying(() => rows.readBack(family, uploads), isWaitedFor, signal);
      for (const { upload } of missing) {
        upload.rows = { ...upload.rows, readBack: found.get(upload.version) ?? 0 };
      }
      const absent = missing.filter(
        ({ upload }) => !found.has(upload.version) && !isErased(erased, upload),
      );
      // An upload that was not stored again may have been on its way to the reader. Only now it is
      // known to be lost.
      const isAbsent = ({ item }: { readonly item: BatchItem }): boolean => absent.includes(item);
      rejected.push(...unstored.rejected.filter(isAbsent));
      for (const each of unstored.short.filter(isAbsent)) {
        short.push(each);
        each.item.resolve(each.size);
      }
      missing = without(absent, [...unstored.rejected, ...unstored.short]);
      if (missing.length === 0) break;
      logger.error({ uploads: missing.length }, 'stored rows were not read back, storing again');
      unstored = await this.store.store(missing);
      // A pause: a replica that lags behind needs time.
      await sleep(READ_BACK_PAUSE_MS, signal);
      signal.throwIfAborted();
    }
    end();
    return { rejected, short };
  }

  private measure(upload: UploadInFlight): void {
    const seconds = Math.max(0, (Date.now() - timeOfVersion(upload.version)) / 1000);
    timeToVisible.observe({ family: upload.family }, seconds);
    this.dependencies.logger.info(
      { requestId: upload.requestId, account: upload.account, seconds },
      'upload succeeded',
    );
  }
}

function without(
  items: readonly BatchItem[],
  unstored: readonly { readonly item: BatchItem }[],
): BatchItem[] {
  const gone = new Set(unstored.map(({ item }) => item));
  return items.filter((item) => !gone.has(item));
}

/** A trace of its own, linked to those of its uploads, which come from many requests. */
function spanOf(batch: readonly BatchItem[]): Span {
  const rows = batch.reduce((sum, { upload }) => sum + upload.prepared.rows, 0);
  const spans = batch.map(({ upload }) => upload.span);
  const attributes = { family: batch[0]!.upload.family, uploads: batch.length, rows };
  return beginSpan('write batch', SpanKind.CLIENT, undefined, attributes, spans);
}
