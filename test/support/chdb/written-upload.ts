import { SqlRequestStore } from '../../../src/status/sql-request-store.js';
import { type Status, timestampOf, type Transition } from '../../../src/status/transition.js';
import type { TestWarehouse } from './warehouse.js';

let number = 0;

/** Writes a cost upload into the history: made so many seconds ago, and where it has come to. */
export async function writeUpload(
  { warehouse, database }: TestWarehouse,
  secondsAgo: number,
  status: Status,
  { took = 0, rows }: { readonly took?: number; readonly rows?: Transition['rows'] } = {},
): Promise<void> {
  const createdAt = Date.now() - secondsAgo * 1000;
  await new SqlRequestStore(warehouse, database).writeTransitions([
    {
      requestId: `0193c2f0-0000-7000-8000-${String(number++).padStart(12, '0')}`,
      account: 'acme',
      family: 'cost',
      status,
      prevStatus: 'uploaded',
      reason: null,
      createdAt: timestampOf(createdAt),
      updatedAt: timestampOf(createdAt + took * 1000),
      version: '7',
      sentMax: '7',
      ...(rows && { rows }),
    },
  ]);
}
