const WINDOW_MS = 60_000;

export interface Taken {
  readonly isAllowed: boolean;
  /** Whole calls that are left now. */
  readonly remaining: number;
  /** Milliseconds until there is one call more than now. */
  readonly nextMs: number;
}

/**
 * A token bucket for each account: a minute's worth of calls, refilled evenly. It keeps one number
 * an account, the time when its bucket is full again. Accounts are those of the tokens file.
 */
export class TokenBuckets {
  private readonly fullAt = new Map<string, number>();
  private readonly callMs: number;

  constructor(perMinute: number) {
    this.callMs = WINDOW_MS / perMinute;
  }

  /**
   * Takes a call out of the account's bucket, if there is one.
   *
   * @param now milliseconds
   */
  take(account: string, now: number): Taken {
    const missingMs = Math.max(0, (this.fullAt.get(account) ?? 0) - now);
    const calls = Math.floor((WINDOW_MS - missingMs) / this.callMs + ROUNDING);
    const isAllowed = calls >= 1;
    const takenMs = isAllowed ? missingMs + this.callMs : missingMs;
    if (isAllowed) this.fullAt.set(account, now + takenMs);
    const remaining = isAllowed ? calls - 1 : 0;
    return { isAllowed, remaining, nextMs: takenMs - WINDOW_MS + (remaining + 1) * this.callMs };
  }
}

/** In floating point 60,000 ms are not always a whole number of calls. */
const ROUNDING = 1e-6;
