import { hash } from 'node:crypto';
import type { LogRecord, RecordToAppend } from '../../../log/upload-log.js';

/** An upload's claim on its idempotency key, as it stands on the topic `claims`. */
export interface Claim {
  /** See {@link keyHash}. */
  readonly key: string;
  readonly requestId: string;
  /** SHA-256 of the family and of the file as it was sent, base64url. */
  readonly digest: string;
  /** Where the upload's records are: its `end` stands behind `from`. */
  readonly partition: number;
  readonly from: number;
  /** The upload has its `end` so long after its claim, or never gets one. */
  readonly settlesMs: number;
  /** The request whose claim has come to nothing, and that this one takes the place of. */
  readonly supersedes?: string;
}

/** A claim and when the log took it, in milliseconds since the epoch. */
export interface StandingClaim extends Claim {
  readonly takenAt: number;
}

/** Keys are the clients' words: the log has but their SHA-256 with the account's name, base64url. */
export function keyHash(account: string, key: string): string {
  return hash('sha256', `${account}\n${key}`, 'base64url');
}

/** All claims stand in one partition, whose order decides who was first. */
export function claimRecord(claim: Claim): RecordToAppend {
  return {
    key: claim.key,
    partition: 0,
    headers: {},
    value: Buffer.from(JSON.stringify(claim)),
  };
}

/** The claim in a record. The topic is written by this service alone. */
export function claimOf({ value, timestamp }: LogRecord): StandingClaim {
  return { ...(JSON.parse(value.toString()) as Claim), takenAt: timestamp };
}
