import { expect, test } from '@jest/globals';

import { type Transition, uploaded } from '../../../../src/status/transition.js';
import { lookupWithoutErased } from '../../../../src/operator/erasure/erased-accounts.js';
import { MemoryLookup } from '../../../support/gateway/gateway.js';

const made = (requestId: string, account: string, version: string): Transition =>
  uploaded({ requestId, account, family: 'cost', version, sentMax: version, bytes: 7 }, 0);

test('requests of an erased account are unknown, whatever memory holds of them', async () => {
  const known = new MemoryLookup();
  const erased = {
    covers: (account: string, version: bigint) => account === 'acme' && version <= 5n,
  };
  const lookup = lookupWithoutErased(known, erased);
  const later = made('r2', 'acme', '6');
  const others = made('r3', 'other', '5');
  for (const transition of [made('r1', 'acme', '5'), later, others]) lookup.remember(transition);
  expect(known.known.size).toBe(3);
  expect(await lookup.find('r1')).toBe('unknown');
  expect(await lookup.find('r2')).toBe(later);
  expect(await lookup.find('r3')).toBe(others);
  expect(await lookup.find('r4')).toBe('unknown');
  known.isAvailable = false;
  expect(await lookup.find('r1')).toBe('unavailable');
});
