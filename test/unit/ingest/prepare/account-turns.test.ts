import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { AccountTurns } from '../../../../src/ingest/prepare/preparation.js';
import { runs } from '../../../support/model/property.js';

interface Item {
  readonly account: string;
  readonly number: number;
}

function drain(turns: AccountTurns<Item>): string[] {
  const taken: string[] = [];
  for (let item = turns.next(); item !== undefined; item = turns.next()) {
    taken.push(item.account + String(item.number));
  }
  return taken;
}

test('accounts take turns, each with its oldest item', () => {
  const turns = new AccountTurns<Item>();
  for (let number = 0; number < 4; number++) turns.push({ account: 'a', number });
  turns.push({ account: 'b', number: 0 });
  turns.push({ account: 'c', number: 0 });
  turns.push({ account: 'c', number: 1 });
  expect(turns.isEmpty).toBe(false);
  expect(drain(turns)).toEqual(['a0', 'b0', 'c0', 'a1', 'c1', 'a2', 'a3']);
  expect(turns.isEmpty).toBe(true);
});

test('a thousand files of one account keep another’s one waiting for one turn', () => {
  const turns = new AccountTurns<Item>();
  for (let number = 0; number < 1_000; number++) turns.push({ account: 'a', number });
  turns.next();
  turns.push({ account: 'b', number: 0 });
  const next = [turns.next(), turns.next()].map((item) => item!.account);
  expect(next).toContain('b');
});

test('nothing is lost, and no account is served twice while another has waited since before', () => {
  const step = fc.option(fc.constantFrom('a', 'b', 'c', 'd'));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const turns = new AccountTurns<Item>();
      /** The waiting items by account, and since when the account waits for its turn. */
      const waiting = new Map<string, { since: number; items: number[] }>();
      steps.forEach((account, now) => {
        if (account !== null) {
          turns.push({ account, number: now });
          const queue = waiting.get(account) ?? { since: now, items: [] };
          queue.items.push(now);
          waiting.set(account, queue);
          return;
        }
        const item = turns.next();
        const longest = [...waiting].sort(([, a], [, b]) => a.since - b.since)[0];
        expect(item?.account).toBe(longest?.[0]);
        if (item === undefined) return;
        const queue = waiting.get(item.account)!;
        expect(item.number).toBe(queue.items.shift());
        queue.since = now;
        if (queue.items.length === 0) waiting.delete(item.account);
      });
      expect(turns.isEmpty).toBe(waiting.size === 0);
      const left = [...waiting.values()].flatMap(({ items }) => items);
      expect(drain(turns)).toHaveLength(left.length);
    }),
    runs(500),
  );
});

test('taking one does not cost more when many wait', () => {
  const turns = new AccountTurns<Item>();
  for (let number = 0; number < 100_000; number++) turns.push({ account: 'a', number });
  const from = performance.now();
  for (let number = 0; number < 100_000; number++) {
    if (turns.next()?.number !== number) throw new Error('the order has changed');
  }
  expect(performance.now() - from).toBeLessThan(500);
});
