import { familyNamed } from '../../domain/families/index.js';
import { Backoff, retrying, sleep } from '../../domain/retry.js';
import { batchRows, batchUploads, rowsStored, stageDuration } from '../../ops/metrics.js';
import type { InsertSize } from '../../warehouse/row-store.js';
import { sizeOfInsert } from '../../warehouse/rows/memory-probe.js';
import { WarehouseError } from '../../warehouse/warehouse.js';
import type { StepDependencies } from '../dependencies.js';
import { type BatchItem, isErased, type ValidUpload } from '../upload-in-flight.js';

/** The pause while the warehouse has memory for nothing at all. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** A batch of several uploads that so often had no answer, each time after so long, is halved. */
const MOST_LATE = 3;
/** Below the shortest time limit that may be configured. */
const LATE_MS = 900;

const SMALLEST: InsertSize = { account: '', keys: 1, bytes: 0 };

/** An upload that the warehouse refuses even alone. */
export interface RejectedItem {
  readonly item: BatchItem;
  readonly error: WarehouseError;
}

/** An upload for which the warehouse had too little memory even alone. */
export interface ShortItem {
  readonly item: BatchItem;
  readonly size: InsertSize;
}

/** Uploads that are not on disk. */
export interface Unstored {
  readonly rejected: readonly RejectedItem[];
  readonly short: readonly ShortItem[];
}

export function uploadsOf(items: readonly BatchItem[]): ValidUpload[] {
  return items.map(({ upload }) => upload);
}

/** Writes batches to the storage tables. */
export class BatchStore {
  constructor(private readonly dependencies: StepDependencies) {}

  /**
   * Stores a batch of one family as one part. Waits while the warehouse is away or has no memory at
   * all. A batch that it refuses, or does not take in time, is halved.
   *
   * @returns the uploads that are not stored; all others are on disk
   */
  async store(batch: readonly BatchItem[]): Promise<Unstored> {
    const { rows, waits, signal } = this.dependencies;
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    for (;;) {
      try {
        await this.insert(batch);
        return { rejected: [], short: [] };
      } catch (error) {
        if (!(error instanceof WarehouseError)) throw error;
        if (error.failure === 'retry' && signal.aborted) throw error;
        const isShort = error.failure === 'memory';
        if (!isShort || (await rows.hasMemoryFor(SMALLEST))) return this.divide(batch, error);
        if (signal.aborted) throw error;
        waits(uploadsOf(batch));
      }
      await sleep(backoff.next(), signal);
    }
  }

  private async divide(batch: readonly BatchItem[], error: WarehouseError): Promise<Unstored> {
    if (batch.length > 1) {
      const middle = batch.length >> 1;
      const first = await this.store(batch.slice(0, middle));
      const second = await this.store(batch.slice(middle));
      return {
        rejected: [...first.rejected, ...second.rejected],
        short: [...first.short, ...second.short],
      };
    }
    const [item] = batch as [BatchItem];
    if (error.failure === 'rejected') return { rejected: [{ item, error }], short: [] };
    return { rejected: [], short: [{ item, size: sizeOfInsert(item.upload) }] };
  }

  private async insert(batch: readonly BatchItem[]): Promise<void> {
    const { waits, signal } = this.dependencies;
    const end = stageDuration.startTimer({ stage: 'insert' });
    let begun = 0;
    let late = 0;
    await retrying(
      () => {
        begun = performance.now();
        return this.insertOnce(uploadsOf(batch));
      },
      (error) => {
        if (!(error instanceof WarehouseError) || error.failure !== 'retry') return false;
        waits(uploadsOf(batch));
        if (performance.now() - begun >= LATE_MS) late++;
        return batch.length === 1 || late < MOST_LATE;
      },
      signal,
    );
    end();
  }

  /** One insert, not tried again. @throws WarehouseError */
  async insertOnce(uploads: readonly ValidUpload[]): Promise<void> {
    const { rows: store, erased, logger } = this.dependencies;
    const family = familyNamed(uploads[0]!.family);
    const rows = uploads.reduce((sum, { prepared }) => sum + prepared.rows, 0);
    // Asked at every attempt: the account may be erased while the warehouse is away.
    const wanted = uploads.filter((upload) => !isErased(erased, upload));
    if (wanted.length > 0) {
      try {
        await store.writeBatch(family, wanted);
      } catch (error) {
        if (error instanceof WarehouseError) {
          logger.warn(
            { code: error.code, failure: error.failure, uploads: uploads.length, rows },
            'the warehouse did not take a batch',
          );
        }
        throw error;
      }
    }
    batchRows.observe({ family: family.name }, rows);
    batchUploads.observe({ family: family.name }, uploads.length);
    rowsStored.inc({ family: family.name }, rows);
  }
}
