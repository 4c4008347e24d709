import { hash } from 'node:crypto';
import type { LogRecord, RecordToAppend } from '../../../log/upload-log.js';

/** An upload's claim on its idempotency key, as it stands on the topic `claims`. */
export interface Claim {
  /** See {@link keyHash}. */
  readonly key: string;
  readonly requestId: string;
  /** SHA-256 of the family and of the file as it was sent, base64url. */
  readonly digest: string;
  /** Where the upload's records are; its `end` is behind `from`. */
  readonly partition: number;
  readonly from: number;
  /** The upload gets its `end` within so many milliseconds after its claim, or never. */
  readonly settlesMs: number;
  /** The request whose claim came to nothing and whose place this one takes. */
  readonly supersedes?: string;
  /**
   * The request whose claim held the key when this one was made. Such a claim never holds the key:
   * a gateway that begins to read between the two must not take it for the first.
   */
  readonly behind?: string | undefined;
}

/** A claim and when the log took it, in milliseconds since the epoch. */
export interface StandingClaim extends Claim {
  readonly takenAt: number;
}

/**
 * Keys may be personal data, so the log has only their SHA-256 with the account's name, base64url.
 */
export function keyHash(account: string, key: string): string {
  return hash('sha256', `${account}\n${key}`, 'base64url');
}

/** All claims are in one partition: its order decides who was first. */
export function claimRecord(claim: Claim): RecordToAppend {
  return {
    key: claim.key,
    partition: 0,
    headers: {},
    value: Buffer.from(JSON.stringify(claim)),
  };
}

/** The claim in a record. Only this service writes the topic. */
export function claimOf({ value, timestamp }: LogRecord): StandingClaim {
  return { ...(JSON.parse(value.toString()) as Claim), takenAt: timestamp };
}
