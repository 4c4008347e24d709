import { expect, test } from '@jest/globals';

import type { StandingClaim } from '../../../../../src/gateway/create/idempotency/claim.js';
import { CLAIM_MS, ClaimView } from '../../../../../src/gateway/create/idempotency/claim-view.js';
import { heapUsed } from '../../../../support/machine/heap-used.js';

const SETTLES_MS = 30_000;

const claim = (
  key: string,
  requestId: string,
  takenAt: number,
  supersedes?: string,
): StandingClaim => ({
  key,
  requestId,
  digest: 'd',
  partition: 0,
  from: 0,
  settlesMs: SETTLES_MS,
  takenAt,
  ...(supersedes !== undefined && { supersedes }),
});

function viewOf(...claims: StandingClaim[]): ClaimView {
  const view = new ClaimView(1_000);
  for (const each of claims) view.apply(each);
  return view;
}

test('the first claim on a key stands, and a repeated record changes nothing', () => {
  const view = viewOf(claim('k', 'a', 1), claim('k', 'b', 2), claim('k', 'a', 3));
  expect(view.get('k')).toMatchObject({ requestId: 'a', takenAt: 1 });
});

test('a claim is superseded by one that names it, when it has settled', () => {
  const tooSoon = viewOf(claim('k', 'a', 0), claim('k', 'b', SETTLES_MS - 1, 'a'));
  expect(tooSoon.get('k')?.requestId).toBe('a');
  const settled = viewOf(claim('k', 'a', 0), claim('k', 'b', SETTLES_MS, 'a'));
  expect(settled.get('k')?.requestId).toBe('b');
  // Only one of two claims takes over.
  settled.apply(claim('k', 'c', SETTLES_MS + 1, 'a'));
  expect(settled.get('k')?.requestId).toBe('b');
});

test('a key is free again after 24 hours of the log’s clock', () => {
  const view = viewOf(claim('k', 'a', 0), claim('k', 'b', CLAIM_MS - 1));
  expect(view.get('k')?.requestId).toBe('a');
  view.apply(claim('k', 'c', CLAIM_MS));
  expect(view.get('k')?.requestId).toBe('c');
  view.apply(claim('other', 'd', 3 * CLAIM_MS));
  expect([view.get('k'), view.get('other')?.requestId]).toEqual([undefined, 'd']);
});

test('a claim that was made behind another never stands, wherever the reading begins', () => {
  const hour = 3_600_000;
  const first = claim('k', 'a', 0);
  const repeat = { ...claim('k', 'b', 2 * hour), behind: 'a' };
  const next = claim('k', 'c', CLAIM_MS + hour);
  const whole = viewOf(first, repeat);
  const late = viewOf(repeat);
  expect([whole.get('k')?.requestId, late.get('k'), late.now]).toEqual(['a', undefined, 2 * hour]);
  for (const view of [whole, late]) {
    view.apply(next);
    expect(view.get('k')?.requestId).toBe('c');
  }
});

test('a claim that was made behind another moves the clock', () => {
  const view = viewOf(claim('k', 'a', 0), { ...claim('k', 'b', CLAIM_MS), behind: 'a' });
  expect([view.now, view.get('k')]).toEqual([CLAIM_MS, undefined]);
});

test('its memory is bounded: the oldest claims are forgotten first', () => {
  const claims = 5_000;
  const hash = 'h'.repeat(37);
  const requestId = '01a1fbda-f483-7a98-aef9-d3cd461cb82d';
  const view = new ClaimView(claims);
  const fill = (from: number): void => {
    for (let i = from; i < from + claims; i++) {
      // Parsed from text, so that it has its own strings, as a claim from a record has.
      const text = JSON.stringify({ ...claim(`${hash}${i}`, requestId, i), digest: `${hash}${i}` });
      view.apply(JSON.parse(text) as StandingClaim);
    }
  };
  const empty = heapUsed();
  fill(0);
  const full = heapUsed();
  // Takes the smallest of several values, to exclude what this process allocates meanwhile.
  let grown = Infinity;
  for (let round = 1; round <= 4; round++) {
    const before = heapUsed();
    fill(round * claims);
    grown = Math.min(grown, heapUsed() - before);
  }
  // A claim that is kept takes about 300 bytes.
  expect(grown / claims).toBeLessThan(60);
  expect((full - empty) / claims).toBeLessThan(1_000);
  expect(view.get(`${hash}${4 * claims - 1}`)).toBeUndefined();
  expect(view.get(`${hash}${4 * claims}`)).toBeDefined();
});
