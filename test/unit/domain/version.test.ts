import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { isAbove, timeOfVersion, VersionClock } from '../../../src/domain/version.js';
import { runs } from '../../support/model/property.js';

/** A clock whose time and randomness a test sets. */
class Hands {
  time = 1_000;
  random = 0n;
  readonly clock = new VersionClock(
    () => this.time,
    () => this.random,
  );
}

const parts = (version: bigint): [number, number, bigint] => [
  timeOfVersion(version),
  Number((version >> 64n) & 0xffffn),
  version & (2n ** 64n - 1n),
];

test('a version is 48 bits of milliseconds, 16 of a counter and 64 of randomness', () => {
  const hands = new Hands();
  hands.time = 1_772_000_000_123;
  hands.random = 2n ** 64n - 1n;
  const version = hands.clock.next();
  expect(parts(version)).toEqual([1_772_000_000_123, 0, 2n ** 64n - 1n]);
  expect(version < 2n ** 128n).toBe(true);
});

describe('each version is above the ones before', () => {
  test('within a millisecond, whatever the random bits', () => {
    const hands = new Hands();
    hands.random = 2n ** 64n - 1n;
    const first = hands.clock.next();
    hands.random = 0n;
    const second = hands.clock.next();
    expect(second > first).toBe(true);
    expect(parts(second)).toEqual([1_000, 1, 0n]);
  });

  test('when the clock steps back, and it goes on from where the clock had been', () => {
    const hands = new Hands();
    hands.clock.next();
    hands.time = 10;
    expect(parts(hands.clock.next())).toEqual([1_000, 1, 0n]);
    hands.time = 1_001;
    expect(parts(hands.clock.next())).toEqual([1_001, 0, 0n]);
  });

  test('when the counter of a millisecond is used up', () => {
    const hands = new Hands();
    hands.clock.observe((1_000n << 80n) | (0xfffen << 64n));
    expect(parts(hands.clock.next())).toEqual([1_000, 0xffff, 0n]);
    expect(parts(hands.clock.next())).toEqual([1_001, 0, 0n]);
    hands.time = 1_001;
    expect(parts(hands.clock.next())).toEqual([1_001, 1, 0n]);
  });

  test('and above every version seen, of whatever clock', () => {
    const hands = new Hands();
    const ahead = (5_000n << 80n) | (7n << 64n) | (2n ** 64n - 1n);
    hands.clock.observe(ahead);
    expect(hands.clock.max).toBe(ahead);
    expect(parts(hands.clock.next())).toEqual([5_000, 8, 0n]);
  });

  test('in any order of steps, observations and draws', () => {
    const step = fc.oneof(
      fc.record({ time: fc.integer({ min: 0, max: 50 }), random: fc.bigInt(0n, 2n ** 64n - 1n) }),
      fc.tuple(fc.bigInt(0n, 60n), fc.bigInt(0xfff0n, 0xffffn), fc.bigInt(0n, 2n ** 64n - 1n)),
    );
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const hands = new Hands();
        let highest = 0n;
        for (const each of steps) {
          if (Array.isArray(each)) {
            const seen = (each[0] << 80n) | (each[1] << 64n) | each[2];
            hands.clock.observe(seen);
            if (seen > highest) highest = seen;
          } else {
            hands.time = each.time;
            hands.random = each.random;
            const drawn = hands.clock.next();
            expect(drawn > highest).toBe(true);
            highest = drawn;
          }
          expect(hands.clock.max).toBe(highest);
        }
      }),
      runs(500),
    );
  });
});

test('an older version that is seen changes nothing', () => {
  const hands = new Hands();
  const drawn = hands.clock.next();
  hands.clock.observe(drawn - 1n);
  hands.clock.observe(1n);
  expect(hands.clock.max).toBe(drawn);
  expect(parts(hands.clock.next())).toEqual([1_000, 1, 0n]);
});

test('before anything is drawn or seen the highest is 0', () => {
  expect(new Hands().clock.max).toBe(0n);
});

test('versions are ordered in decimal as they are as numbers', () => {
  const version = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(isAbove(a.toString(), b.toString())).toBe(a > b);
    }),
    runs(200),
  );
});
