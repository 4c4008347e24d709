import { expect, test } from '@jest/globals';

import type { Transition } from '../../../src/status/transition.js';
import { StatusView } from '../../../src/status/status-view.js';

function transition(requestId: string, status: Transition['status'], reason = ''): Transition {
  return {
    requestId,
    account: 'acme',
    family: 'cost',
    status,
    prevStatus: null,
    reason: reason === '' ? null : reason,
    createdAt: '2026-01-01T00:00:00',
    updatedAt: '2026-01-01T00:00:00',
    version: '1',
    sentMax: '1',
  };
}

test('the state is the furthest transition, whatever the order', () => {
  const view = new StatusView(1e9);
  for (const status of ['validated', 'uploaded', 'ingested', 'validated'] as const) {
    view.apply(transition('a', status));
  }
  expect(view.get('a')?.transition.status).toBe('ingested');
});

test('nothing leaves a final state, unless a replay stores what had failed', () => {
  const view = new StatusView(1e9);
  view.apply(transition('a', 'failed', 'why'));
  view.apply(transition('a', 'validated'));
  expect(view.get('a')?.transition).toMatchObject({ status: 'failed', reason: 'why' });
  view.apply(transition('a', 'succeeded'));
  view.apply(transition('a', 'failed', 'why'));
  expect(view.get('a')?.transition.status).toBe('succeeded');
});

test('nothing is missing of a request above the version up to which records may be', () => {
  const view = new StatusView(1e9);
  view.mayLack('99');
  view.mayLack('7');
  view.apply({ ...transition('before', 'uploaded'), version: '99' });
  view.apply({ ...transition('since', 'validated'), version: '100' });
  expect(view.whole('before')).toBeUndefined();
  expect(view.whole('since')?.status).toBe('validated');
  expect(view.whole('never heard of')).toBeUndefined();
});

test('what the history has is taken in by rank, once, and what follows is folded on', () => {
  const view = new StatusView(1e9);
  view.mayLack('1');
  const told: string[] = [];
  view.apply(transition('a', 'uploaded'));
  view.watch('a', transition('a', 'uploaded'), ({ status }) => told.push(status));
  expect(view.merge('a', transition('a', 'ingested'))?.status).toBe('ingested');
  expect(view.whole('a')?.status).toBe('ingested');
  expect(told).toEqual(['ingested']);
  view.apply(transition('a', 'validated'));
  view.apply(transition('a', 'succeeded'));
  expect(view.whole('a')?.status).toBe('succeeded');

  view.apply(transition('new', 'validated'));
  expect(view.merge('new', undefined)?.status).toBe('validated');
  expect(view.whole('new')?.status).toBe('validated');
});

test('of two records of one rank that of the history is the one that was told', () => {
  const view = new StatusView(1e9);
  view.mayLack('1');
  view.apply({ ...transition('a', 'succeeded'), updatedAt: '2026-01-02T00:00:00' });
  const first = transition('a', 'succeeded');
  expect(view.merge('a', first)).toEqual(first);
});

test('what only the history has takes no room of the view', () => {
  const view = new StatusView(1e9);
  expect(view.merge('old', transition('old', 'succeeded'))?.status).toBe('succeeded');
  expect(view.get('old')).toBeUndefined();
});

test('a request that was forgotten and is heard of again may lack a state', () => {
  const view = new StatusView(2_500);
  view.apply({ ...transition('a', 'succeeded'), version: '5' }, { partition: 0, offset: 0 });
  for (let i = 0; i < 5; i++) {
    view.apply({ ...transition(`later ${i}`, 'uploaded'), version: `1${i}` });
  }
  expect(view.hasForgotten).toBe(true);
  view.apply({ ...transition('a', 'uploaded'), version: '5' }, { partition: 0, offset: 9 });
  expect(view.whole('a')).toBeUndefined();
  expect(view.whole('later 4')?.status).toBe('uploaded');
});

test('of a record only its position is kept, not what was fetched with it', () => {
  const view = new StatusView(1e9);
  const record = { partition: 1, offset: 7, key: 'a', value: Buffer.of(1) };
  view.apply(transition('a', 'uploaded'), record);
  expect(view.get('a')?.position).toEqual({ partition: 1, offset: 7 });
});

test('requests beyond the bound are forgotten, the oldest first, large reasons sooner', () => {
  const view = new StatusView(150_000);
  for (let i = 0; i < 1_000; i++) view.apply(transition(`small-${i}`, 'uploaded'));
  expect(view.get('small-0')).toBeUndefined();
  expect(view.get('small-900')).toBeDefined();
  view.apply(transition('large', 'failed', 'x'.repeat(64 * 1024)));
  expect(view.get('large')).toBeDefined();
  expect(view.get('small-900')).toBeUndefined();
});

test('the history covers what was forgotten only when it was written beyond it', () => {
  const view = new StatusView(2_500);
  for (let offset = 0; offset < 20; offset++) {
    view.apply(transition(`r${offset}`, 'uploaded'), { partition: offset % 2, offset });
  }
  expect(view.isCoveredBy([20, 20])).toBe(true);
  expect(view.isCoveredBy([20, 3])).toBe(false);
  expect(view.isCoveredBy([3, 20])).toBe(false);
  expect(view.isCoveredBy([20])).toBe(false);
});

test('a watch tells of the first further state, once', () => {
  const view = new StatusView(1e9);
  const told: string[] = [];
  const watch = (known: Transition | undefined, name: string): (() => void) =>
    view.watch('a', known, ({ status }) => told.push(`${name} ${status}`));
  watch(undefined, 'any');
  watch(transition('a', 'uploaded'), 'further');
  const end = watch(undefined, 'ended');
  end();
  view.apply(transition('b', 'uploaded'));
  view.apply(transition('a', 'uploaded'));
  expect(told.splice(0)).toEqual(['any uploaded']);
  view.apply(transition('a', 'uploaded'));
  view.apply(transition('a', 'validated'));
  view.apply(transition('a', 'ingested'));
  expect(told.splice(0)).toEqual(['further validated']);
  // If the view has already seen a further state, a new watch gets it at once.
  watch(transition('a', 'validated'), 'late');
  watch(transition('a', 'ingested'), 'waits');
  expect(told).toEqual(['late ingested']);
});
