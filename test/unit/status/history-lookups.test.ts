import { expect, test } from '@jest/globals';

import type { Status, Transition } from '../../../src/status/transition.js';
import { HistoryLookUps } from '../../../src/status/history-lookups.js';

function transition(requestId: string, status: Status): Transition {
  return {
    requestId,
    account: 'acme',
    family: 'cost',
    status,
    prevStatus: 'uploaded',
    reason: null,
    createdAt: '2026-03-01T00:00:00',
    updatedAt: '2026-03-01T00:00:01',
    version: '7',
    sentMax: '7',
  };
}

/** A history that answers when the test lets it. */
class SlowHistory {
  readonly queries: { ids: readonly string[]; answer: (error?: Error) => void }[] = [];
  readonly written = new Map<string, Transition>();

  readonly ask = (ids: readonly string[]): Promise<ReadonlyMap<string, Transition>> =>
    new Promise((resolve, reject) => {
      const answer = (error?: Error): void => {
        if (error !== undefined) reject(error);
        else resolve(new Map([...this.written].filter(([id]) => ids.includes(id))));
      };
      this.queries.push({ ids, answer });
    });
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('while one query is under way, those who come share the next ones', async () => {
  const history = new SlowHistory();
  const lookUps = new HistoryLookUps(history.ask);
  const ids = Array.from({ length: 251 }, (_, index) => `id ${index}`);
  for (const id of ids) history.written.set(id, transition(id, 'validated'));
  const found = ids.map((id) => lookUps.find(id));
  for (let query = 0; query < 4; query++) {
    await settled();
    expect(history.queries).toHaveLength(query + 1);
    history.queries[query]!.answer();
  }
  expect(history.queries.map((query) => query.ids.length)).toEqual([1, 100, 100, 50]);
  expect((await Promise.all(found)).map((each) => each?.requestId)).toEqual(ids);
});

test('more than may wait are refused at once, and taken again when there is room', async () => {
  const history = new SlowHistory();
  const lookUps = new HistoryLookUps(history.ask);
  const waiting = Array.from({ length: 1_001 }, (_, index) => lookUps.find(`id ${index}`));
  await expect(lookUps.find('one more')).rejects.toThrow('too many requests');
  // A second look-up of a waiting request takes no further room.
  waiting.push(lookUps.find('id 1000'));
  for (let query = 0; query < 11; query++) {
    history.queries[query]!.answer();
    await settled();
  }
  expect(await Promise.all(waiting)).toEqual(Array(1_002).fill(undefined));
  const again = lookUps.find('one more');
  history.queries[11]!.answer();
  expect(await again).toBeUndefined();
});

test('a query that fails fails those who asked in it, and no others', async () => {
  const history = new SlowHistory();
  const lookUps = new HistoryLookUps(history.ask);
  const first = lookUps.find('first');
  const second = lookUps.find('second');
  history.queries[0]!.answer(new Error('away'));
  await expect(first).rejects.toThrow('away');
  history.queries[1]!.answer();
  expect(await second).toBeUndefined();
});

test('`succeeded` is remembered for a minute; none and any other are asked for again', async () => {
  const history = new SlowHistory();
  let now = 0;
  const lookUps = new HistoryLookUps(history.ask, () => now);
  const find = async (id: string): Promise<Status | undefined> => {
    const before = history.queries.length;
    const found = lookUps.find(id);
    history.queries[before]?.answer();
    return (await found)?.status;
  };
  expect(await find('one')).toBeUndefined();
  history.written.set('one', transition('one', 'ingested'));
  expect(await find('one')).toBe('ingested');
  // A replay may store it yet.
  history.written.set('one', transition('one', 'failed'));
  expect(await find('one')).toBe('failed');
  history.written.set('one', transition('one', 'succeeded'));
  expect(await find('one')).toBe('succeeded');
  expect(history.queries).toHaveLength(4);
  now += 59_999;
  expect(await find('one')).toBe('succeeded');
  expect(history.queries).toHaveLength(4);
  now += 1;
  expect(await find('one')).toBe('succeeded');
  expect(history.queries).toHaveLength(5);
});

test('what is remembered is bounded', async () => {
  const asked: string[] = [];
  const lookUps = new HistoryLookUps((ids) => {
    asked.push(...ids);
    return Promise.resolve(new Map(ids.map((id) => [id, transition(id, 'succeeded')])));
  });
  for (let index = 0; index <= 2_000; index++) await lookUps.find(`id ${index}`);
  for (const id of ['id 1', 'id 2000', 'id 0']) await lookUps.find(id);
  expect(asked.slice(2_001)).toEqual(['id 0']);
});
