import { familyNamed } from '../../domain/families/index.js';
import type { ErasureFence } from '../../domain/erasure-fence.js';
import { retrying } from '../../domain/retry.js';
import type { Logger } from '../../ops/logger.js';
import { batchRows, batchUploads, rowsStored, stageDuration } from '../../ops/metrics.js';
import { type Warehouse, WarehouseError } from '../../warehouse/warehouse.js';
import type { BatchItem } from '../batch/batcher.js';
import { isErased } from '../upload-in-flight.js';
import { BlockMemory } from './block-memory.js';
import { storageBlock, type UploadToStore } from './storage-block.js';

/**
 * How often a lone upload that ran out of memory is tried before it counts as rejected: for about a
 * quarter of a minute, because it may be other statements that have taken the memory.
 */
const MEMORY_TRIES = 10;

/** An upload that the warehouse refuses even alone. */
export interface RejectedItem {
  readonly item: BatchItem;
  readonly error: WarehouseError;
}

/** Writes batches to the storage tables. */
export class BatchStore {
  private readonly memory = new BlockMemory();

  constructor(
    private readonly warehouse: Warehouse,
    private readonly fence: ErasureFence,
    private readonly logger: Logger,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Stores a batch of one family as one part. Waits while the warehouse is away. A batch that it
   * rejects is halved until the upload that it rejects stands alone.
   *
   * @returns the uploads that were rejected; all others are on disk
   */
  async store(batch: readonly BatchItem[]): Promise<RejectedItem[]> {
    try {
      await this.insert(batch);
      return [];
    } catch (error) {
      if (!(error instanceof WarehouseError) || error.failure === 'retry') throw error;
      if (batch.length > 1) {
        const middle = batch.length >> 1;
        const first = await this.store(batch.slice(0, middle));
        return [...first, ...(await this.store(batch.slice(middle)))];
      }
      return [{ item: batch[0]!, error }];
    }
  }

  private async insert(batch: readonly BatchItem[]): Promise<void> {
    const family = familyNamed(batch[0]!.flight.upload.family);
    const rows = batch.reduce((sum, { prepared }) => sum + prepared.rows, 0);
    let memoryTries = batch.length === 1 ? MEMORY_TRIES : 1;
    const end = stageDuration.startTimer({ stage: 'insert' });
    await retrying(
      async () => {
        // Asked at every attempt: the account may be erased while the warehouse is away.
        const wanted = batch.filter(({ flight }) => !isErased(this.fence, flight)).map(toStore);
        if (wanted.length > 0) {
          const room = this.memory.lend();
          try {
            await this.warehouse.insert(family.table, storageBlock(family, wanted, room));
          } finally {
            this.memory.giveBack(room);
          }
        }
      },
      (error) => {
        if (!(error instanceof WarehouseError)) return false;
        this.logger.warn(
          { code: error.code, failure: error.failure, uploads: batch.length, rows },
          'the warehouse did not take a batch',
        );
        return error.failure === 'memory' ? --memoryTries > 0 : error.failure === 'retry';
      },
      this.signal,
    );
    end();
    batchRows.observe({ family: family.name }, rows);
    batchUploads.observe({ family: family.name }, batch.length);
    rowsStored.inc({ family: family.name }, rows);
  }
}

export function toStore({ flight, prepared }: BatchItem): UploadToStore {
  const { requestId, account, version, uploadedAt } = flight;
  return { requestId, account, version, uploadedAt, prepared };
}
