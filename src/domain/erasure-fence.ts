import { timeOfUuid } from './request-id.js';
import { lastVersionAt } from './version.js';

/** Tells which uploads belong to an account that has been erased: nothing is to be made of them. */
export interface ErasureFence {
  /** Whether an upload of the account at this version came before the account's erasure. */
  covers(account: string, version: bigint): boolean;
}

/** Whether a request of the account was begun before the account's erasure. */
export function coversRequest(fence: ErasureFence, account: string, requestId: string): boolean {
  const begunAt = timeOfUuid(requestId);
  return begunAt !== undefined && fence.covers(account, lastVersionAt(begunAt));
}
