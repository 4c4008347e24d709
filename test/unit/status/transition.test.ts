import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import {
  isFinal,
  isStatus,
  STATUSES,
  type Status,
  advance,
  furtherOf,
  recordOf,
  timestampOf,
  type Change,
  type Transition,
} from '../../../src/status/transition.js';
import { transitionOf, transitionRecord } from '../../../src/status/publisher.js';
import { runs } from '../../support/model/property.js';

const CREATED: Transition = {
  requestId: '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
  account: 'acme',
  family: 'cost',
  status: 'uploaded',
  prevStatus: null,
  reason: null,
  createdAt: '2026-03-10T12:00:00',
  updatedAt: '2026-03-10T12:00:00',
  version: '340282366920938463463374607431768211455',
  sentMax: '1',
  bytes: 583,
};
const NOON = Date.parse('2026-03-10T12:00:00Z');
const ROWS = { validated: 3, stored: 2, readBack: 1 };

function changeTo(status: Status, reason: string | null = null): Change {
  return { status, reason, sentMax: '2', rows: ROWS };
}

/** Returns a request's transitions through these states. */
function life(...statuses: Status[]): Transition[] {
  const transitions = [CREATED];
  for (const status of statuses) {
    transitions.push(
      advance(transitions.at(-1)!, changeTo(status, status === 'failed' ? '{}' : null), NOON),
    );
  }
  return transitions;
}

const fold = (events: readonly Transition[]): Transition | undefined =>
  events.reduce<Transition | undefined>(furtherOf, undefined);

describe('a transition', () => {
  test('goes on from the status before', () => {
    expect(
      life('validated', 'ingested', 'succeeded').map(({ status, prevStatus }) => [
        prevStatus,
        status,
      ]),
    ).toEqual([
      [null, 'uploaded'],
      ['uploaded', 'validated'],
      ['validated', 'ingested'],
      ['ingested', 'succeeded'],
    ]);
  });

  test('keeps what the request is and how large, and tells the new time, reason, highest version and rows', () => {
    const change = { ...changeTo('failed', '{"file":["x"]}'), sentMax: '9' };
    expect(advance(CREATED, change, NOON + 61_500)).toEqual({
      ...CREATED,
      status: 'failed',
      prevStatus: 'uploaded',
      reason: '{"file":["x"]}',
      updatedAt: '2026-03-10T12:01:01',
      sentMax: '9',
      rows: ROWS,
    });
  });

  test('has no reason left from the one before', () => {
    const failed = advance(CREATED, changeTo('failed', '{}'), NOON);
    expect(advance(failed, changeTo('ingested'), NOON).reason).toBeNull();
  });

  test('is never older than its request, though a clock is behind', () => {
    expect(advance(CREATED, changeTo('validated'), NOON - 5_000).updatedAt).toBe(CREATED.createdAt);
  });

  test('comes back from its record on the topic as it was', () => {
    const transition = { ...CREATED, reason: '{"é\\n":["\u2028😀"]}' };
    const record = transitionRecord(transition);
    expect(record.key).toBe(CREATED.requestId);
    expect(transitionOf(Buffer.from(record.value))).toEqual(transition);
  });
});

describe('the state of a request', () => {
  const LIVES = [
    life('validated', 'ingested', 'succeeded'),
    life('failed'),
    life('validated', 'failed'),
    life('validated', 'ingested'),
  ];

  test.each(LIVES.map((events) => [events.at(-1)!.status, events] as const))(
    'is %s, whatever the order of its events and however often they come',
    (_status, events) => {
      const seen = fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 });
      fc.assert(
        fc.property(seen, (shuffled) => {
          expect(fold(shuffled)).toEqual(events.at(-1));
        }),
        runs(200),
      );
    },
  );

  test('never leaves succeeded or failed for a status on the way', () => {
    for (const final of ['succeeded', 'failed'] as const) {
      const [last] = life(final).slice(-1);
      for (const status of ['uploaded', 'validated', 'ingested'] as const) {
        expect(furtherOf(last, { ...CREATED, status })).toBe(last);
      }
    }
  });

  test('of the same rank is the one known first', () => {
    const [, first] = life('failed');
    expect(furtherOf(first, { ...first!, reason: '{"other":[]}' })).toBe(first);
  });
});

test('the answer to a client has exactly six fields', () => {
  expect(recordOf(CREATED)).toEqual({
    requestId: CREATED.requestId,
    status: 'uploaded',
    prevStatus: null,
    reason: null,
    createdAt: '2026-03-10T12:00:00',
    updatedAt: '2026-03-10T12:00:00',
  });
});

test('a timestamp is UTC to the second, cut and not rounded', () => {
  expect(timestampOf(NOON + 999)).toBe('2026-03-10T12:00:00');
  expect(timestampOf(0)).toBe('1970-01-01T00:00:00');
});

test('succeeded and failed are final, and nothing else is a status', () => {
  expect(STATUSES.filter(isFinal)).toEqual(['succeeded', 'failed']);
  expect(STATUSES.every(isStatus)).toBe(true);
  expect(['', 'Uploaded', 'toString', 'done'].some(isStatus)).toBe(false);
});
