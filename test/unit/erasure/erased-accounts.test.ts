import { expect, test } from '@jest/globals';

import { ErasedAccounts } from '../../../src/erasure/erased-accounts.js';
import type { Warehouse } from '../../../src/warehouse/warehouse.js';
import { BrokenTails } from '../../helpers/log/broken-tails.js';

test('erasures heard of no longer are told to whoever must not show what is erased', async () => {
  const tails = new BrokenTails();
  const empty = { query: () => Promise.resolve([]) } as unknown as Warehouse;
  const erased = await ErasedAccounts.follow(tails.log, empty, 'custom_data', 1_000);
  tails.break('not an erasure');
  await expect(erased.failed).rejects.toThrow('not an erasure');
});
