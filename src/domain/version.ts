/**
 * Versions order uploads by acceptance: the last accepted upload of an overwrite key wins.
 *
 * A version is a 128-bit number: 48 bits of milliseconds, 16 of a counter, 64 of randomness. It is
 * a hybrid logical clock: a new version is above every version seen, even on a gateway whose clock
 * is behind.
 */

const COUNTER_BITS = 16n;
const RANDOM_BITS = 64n;

export class VersionClock {
  private highest = 0n;

  /**
   * @param now milliseconds since the epoch
   * @param random64 64 random bits
   */
  constructor(
    private readonly now: () => number,
    private readonly random64: () => bigint,
  ) {}

  /** The highest version drawn or seen. */
  get max(): bigint {
    return this.highest;
  }

  /** A version above every version drawn or seen. */
  next(): bigint {
    const now = BigInt(this.now()) << COUNTER_BITS;
    // If the counter is full, the carry goes into the milliseconds.
    const following = (this.highest >> RANDOM_BITS) + 1n;
    const time = now > following ? now : following;
    this.highest = (time << RANDOM_BITS) | this.random64();
    return this.highest;
  }

  observe(version: bigint): void {
    if (version > this.highest) this.highest = version;
  }
}

/** Whether a version is above another, both in decimal without leading zeros. */
export function isAbove(version: string, other: string): boolean {
  return version.length === other.length ? version > other : version.length > other.length;
}

/** The highest version that can be drawn in a millisecond (since the epoch). */
export function lastVersionAt(milliseconds: number): bigint {
  return ((BigInt(milliseconds) + 1n) << (COUNTER_BITS + RANDOM_BITS)) - 1n;
}

/** The milliseconds since the epoch at which a version was drawn, by the clock that drew it. */
export function timeOfVersion(version: bigint): number {
  return Number(version >> (COUNTER_BITS + RANDOM_BITS));
}
