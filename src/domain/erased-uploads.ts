import { timeOfUuid } from './request-id.js';
import { lastVersionAt } from './version.js';

/** Tells which uploads belong to an erased account. They are dropped. */
export interface ErasedUploads {
  /** Whether an upload of the account at this version came before the account's erasure. */
  covers(account: string, version: bigint): boolean;
}

/** Whether a request of the account was begun before the account's erasure. */
export function coversRequest(erased: ErasedUploads, account: string, requestId: string): boolean {
  const begunAt = timeOfUuid(requestId);
  return begunAt !== undefined && erased.covers(account, lastVersionAt(begunAt));
}
