import { expect, test } from '@jest/globals';

import { ErasedAccounts } from '../../../../src/operator/erasure/erased-accounts.js';
import type { RowStore } from '../../../../src/warehouse/row-store.js';
import { BrokenTails } from '../../../support/log/broken-tails.js';

test('erasures heard of no longer are told to whoever must not show what is erased', async () => {
  const tails = new BrokenTails();
  const empty = { erasures: () => Promise.resolve(new Map()) } as unknown as RowStore;
  const erased = await ErasedAccounts.follow(tails.log, empty, 1_000);
  tails.break('not an erasure');
  await expect(erased.failed).rejects.toThrow('not an erasure');
});
