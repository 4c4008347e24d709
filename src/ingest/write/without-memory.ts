import type { InsertSize } from '../../warehouse/row-store.js';
import { WarehouseError } from '../../warehouse/warehouse.js';
import type { StepDependencies } from '../dependencies.js';
import type { Unprepared } from '../prepare/preparation.js';
import type { ValidUpload } from '../upload-in-flight.js';
import { failUpload } from './fail-upload.js';
import { MemoryTrials, type NotStored } from './memory-trials.js';
import type { BatchSettler } from './settle-batch.js';

/** For uploads that may wait for hours. Other uploads use their memory and place meanwhile. */
export interface Held {
  /** Lets go what the upload holds. Called again after each attempt that has stored nothing. */
  letGo(upload: ValidUpload): void;
  /**
   * Reads and prepares the upload again, for one attempt. Resolves with why it cannot be prepared
   * any more.
   */
  prepareAgain(upload: ValidUpload): Promise<Unprepared | undefined>;
}

/** Takes uploads for which the warehouse has no memory to their final status, each alone. */
export class WithoutMemory {
  private readonly trials: MemoryTrials;

  constructor(
    private readonly dependencies: StepDependencies,
    private readonly settler: BatchSettler,
    private readonly held: Held,
  ) {
    const { rows, logger, signal } = dependencies;
    const statements = {
      tryOnce: (upload: ValidUpload) => this.tryOnce(upload),
      probe: (size: InsertSize) => rows.hasMemoryFor(size),
    };
    this.trials = new MemoryTrials(statements, logger, signal);
  }

  /** @param size what the upload needs */
  async settle(upload: ValidUpload, size: InsertSize): Promise<void> {
    let short: InsertSize | undefined = size;
    while (short !== undefined) {
      // 1. Others take its place.
      this.held.letGo(upload);
      // 2. Tried until it is stored, or cannot be.
      const notStored = await this.trials.settle(upload, short);
      if (notStored !== undefined) return failUpload(this.dependencies, upload, notStored);
      // 3. `ingested`, read back, `succeeded`. From the start, if its rows are lost.
      short = await this.settler.concludeAlone(upload);
    }
  }

  private async tryOnce(upload: ValidUpload): Promise<NotStored | undefined> {
    const unprepared = await this.held.prepareAgain(upload);
    if (unprepared !== undefined) return unprepared;
    try {
      await this.settler.storeAlone(upload);
      return undefined;
    } catch (error) {
      if (!(error instanceof WarehouseError)) throw error;
      this.held.letGo(upload);
      return error;
    }
  }
}
