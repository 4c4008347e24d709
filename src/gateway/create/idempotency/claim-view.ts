import type { StandingClaim } from './claim.js';

/** How long a key belongs to its first claim. */
export const CLAIM_MS = 24 * 3_600_000;

/**
 * Whose claim holds each key: the bounded fold of the topic `claims`. It depends on the records and
 * their times alone, so every gateway gets the same result, wherever it began to read.
 *
 * Above the bound the oldest claims are forgotten early, and their keys are free again.
 */
export class ClaimView {
  /** By key, oldest first. */
  private readonly claims = new Map<string, StandingClaim>();
  private latest = 0;

  constructor(private readonly maxClaims: number) {}

  /** The time of the latest claim seen, by the log's clock. */
  get now(): number {
    return this.latest;
  }

  get(key: string): StandingClaim | undefined {
    return this.claims.get(key);
  }

  apply(claim: StandingClaim): void {
    this.latest = Math.max(this.latest, claim.takenAt);
    this.forgetOld();
    if (claim.behind !== undefined) return;
    const standing = this.claims.get(claim.key);
    if (standing !== undefined && !supersedes(claim, standing)) return;
    this.claims.delete(claim.key);
    this.claims.set(claim.key, claim);
    if (this.claims.size > this.maxClaims) this.forgetOldest();
  }

  private forgetOld(): void {
    for (const { takenAt } of this.claims.values()) {
      if (this.latest - takenAt < CLAIM_MS) return;
      this.forgetOldest();
    }
  }

  private forgetOldest(): void {
    const [oldest] = this.claims.keys();
    if (oldest !== undefined) this.claims.delete(oldest);
  }
}

/** Not before the other claim has settled: its `end` may still come. */
function supersedes(claim: StandingClaim, standing: StandingClaim): boolean {
  return (
    claim.supersedes === standing.requestId &&
    claim.takenAt - standing.takenAt >= standing.settlesMs
  );
}
