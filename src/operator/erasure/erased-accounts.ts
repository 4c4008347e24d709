import type { ErasedUploads } from '../../domain/erased-uploads.js';
import { Failure } from '../../domain/failure.js';
import type { Tail, UploadLog } from '../../log/upload-log.js';
import type { RowStore } from '../../warehouse/row-store.js';
import { erasureOf } from './account-erasure.js';
import type { RequestLookup } from '../../status/request-lookup.js';
import type { Transition } from '../../status/transition.js';

/** Which accounts have been erased, up to which version: from the table, then from the log. */
export class ErasedAccounts implements ErasedUploads {
  private readonly versions = new Map<string, bigint>();
  private readonly failure = new Failure();
  /** Rejects when new erasures can no longer be followed. */
  readonly failed = this.failure.promise;
  private tail: Tail | undefined;

  private constructor() {
    // See `follow` and `inLog`.
  }

  /**
   * Knows every erasure ordered before the call, and follows new ones.
   *
   * @throws LogUnavailableError, WarehouseError
   */
  static async follow(log: UploadLog, rows: RowStore, timeoutMs: number): Promise<ErasedAccounts> {
    const erased = new ErasedAccounts();
    const ends = await log.endOffsets('control');
    for (const [account, version] of await rows.erasures()) erased.add(account, version);
    // From the beginning: the table may be older than the committed offset, after a restore.
    const beginning = ends.map(() => 0);
    erased.tail = await log.tail('control', beginning, (records) => {
      for (const record of records) {
        const erasure = erasureOf(record);
        if (erasure !== undefined) erased.add(erasure.account, erasure.version);
      }
    });
    erased.tail.failed.catch(erased.failure.report);
    try {
      await Promise.race([erased.tail.reached(ends, timeoutMs), erased.tail.failed]);
    } catch (error) {
      await erased.stop();
      throw error;
    }
    return erased;
  }

  /**
   * Knows the erasures whose orders the log still has. The table has the others; the log may delete
   * an order before the uploads that it covers.
   *
   * @throws LogUnavailableError
   */
  static async inLog(log: UploadLog): Promise<ErasedAccounts> {
    const erased = new ErasedAccounts();
    for (const [partition, end] of (await log.endOffsets('control')).entries()) {
      for await (const records of log.read('control', partition, 0, end)) {
        for (const { account, version } of records.flatMap((record) => erasureOf(record) ?? [])) {
          erased.add(account, version);
        }
      }
    }
    return erased;
  }

  covers(account: string, version: bigint): boolean {
    return version <= (this.versions.get(account) ?? -1n);
  }

  /** The last version that the account's erasure covers; 0: it has not been erased. */
  upTo(account: string): bigint {
    return this.versions.get(account) ?? 0n;
  }

  async stop(): Promise<void> {
    await this.tail?.stop();
  }

  private add(account: string, version: bigint): void {
    if (!this.covers(account, version)) this.versions.set(account, version);
  }
}

/** A lookup that hides the requests of erased accounts, which memory may still hold. */
export function lookupWithoutErased(lookup: RequestLookup, erased: ErasedUploads): RequestLookup {
  const isErased = ({ account, version }: Transition): boolean =>
    erased.covers(account, BigInt(version));
  return {
    async find(requestId) {
      const found = await lookup.find(requestId);
      return typeof found !== 'string' && isErased(found) ? 'unknown' : found;
    },
    remember: (transition) => {
      lookup.remember(transition);
    },
    watch: (requestId, known, changed) =>
      lookup.watch(requestId, known, (transition) => {
        if (!isErased(transition)) changed(transition);
      }),
  };
}
