import { Inject, Injectable } from '@nestjs/common';
import { coversRequest, type ErasedUploads } from '../../../domain/erased-uploads.js';
import { inTime } from '../../../domain/in-time.js';
import type { RequestLookup } from '../../../status/request-lookup.js';
import { transitionRecord } from '../../../status/publisher.js';
import { type Transition, uploaded } from '../../../status/transition.js';
import {
  endIn,
  isEndOf,
  type UploadEnd,
  type UploadIdentity,
} from '../../../log/uploads/upload-records.js';
import type { VersionClock } from '../../../domain/version.js';
import type { UploadLog } from '../../../log/upload-log.js';
import { TimedLog } from '../timed-log.js';
import type { UploadPlace } from '../receive/upload-writer.js';
import {
  ERASED_UPLOADS,
  GATEWAY_CONFIG,
  REQUEST_LOOKUP,
  UPLOAD_LOG,
  VERSION_CLOCK,
  type GatewayConfig,
} from '../../dependencies.js';
import { keyInProgress, keyReused, uploadNotTaken } from '../../http/problem.js';
import { type Claim, keyHash, type StandingClaim } from './claim.js';
import { Claims } from './claims.js';

/** What a client said of its upload with `Idempotency-Key`. */
export interface KeyedFile {
  readonly key: string;
  /** See `Claim.digest`. */
  readonly digest: string;
}

/** An end is looked for so much longer: the clocks of two partitions differ a little. */
const CLOCK_MARGIN_MS = 60_000;

/**
 * Lets one upload become a request for each account and key. See `docs/decisions/idempotency.md`.
 */
@Injectable()
export class Idempotency {
  constructor(
    @Inject(Claims) private readonly claims: Claims,
    @Inject(UPLOAD_LOG) private readonly log: UploadLog,
    @Inject(TimedLog) private readonly timedLog: TimedLog,
    @Inject(REQUEST_LOOKUP) private readonly lookup: RequestLookup,
    @Inject(ERASED_UPLOADS) private readonly erased: ErasedUploads,
    @Inject(VERSION_CLOCK) private readonly clock: VersionClock,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * Claims the key for an upload whose chunks are durable. Undefined: the upload holds the key, and
   * its `end` is to be written at once. Otherwise the request that had the key first.
   *
   * @throws Problem 409 while that one is in progress, 422 when its file was another, 503
   * @throws LogUnavailableError
   */
  async claim(
    file: KeyedFile,
    identity: UploadIdentity,
    place: UploadPlace,
  ): Promise<Transition | undefined> {
    const { logTimeoutMs } = this.config.limits;
    const mine: Claim = {
      key: keyHash(identity.account, file.key),
      requestId: identity.requestId,
      digest: file.digest,
      partition: place.partition,
      from: place.firstOffset ?? (await this.log.endOffset('uploads', place.partition)),
      // One timeout for the claim, one for the end, and one until others may take over.
      settlesMs: 3 * logTimeoutMs,
    };
    for (let next = mine; ;) {
      const { standing, ageMs } = await this.claims.make(next);
      if (standing.requestId === mine.requestId) return undefined;
      if (coversRequest(this.erased, identity.account, standing.requestId)) {
        // It has no effect, but cannot be superseded before it has settled.
        if (ageMs < standing.settlesMs) throw keyInProgress(standing.settlesMs - ageMs);
      } else {
        if (standing.digest !== mine.digest) throw keyReused();
        const request = await this.requestOf(standing, ageMs, identity);
        if (request !== undefined) return request;
      }
      next = { ...mine, supersedes: standing.requestId };
    }
  }

  /** The request of another upload's claim; undefined when there is none and never will be. */
  private async requestOf(
    claim: StandingClaim,
    ageMs: number,
    identity: UploadIdentity,
  ): Promise<Transition | undefined> {
    const { requestId } = claim;
    const leftMs = claim.settlesMs - ageMs;
    let found = await this.lookup.find(requestId);
    if (typeof found === 'string' && leftMs > 0) {
      const waitMs = Math.min(leftMs, this.config.limits.logTimeoutMs);
      const from = performance.now();
      await this.seen(requestId, waitMs);
      found = await this.lookup.find(requestId);
      if (typeof found === 'string') throw keyInProgress(leftMs - (performance.now() - from));
    }
    if (found === 'unavailable') throw uploadNotTaken();
    if (found !== 'unknown') return found;
    const end = await this.endOfUpload(claim);
    return end === undefined ? undefined : this.finish({ ...identity, requestId }, end);
  }

  /** Resolves when the request has been seen here, or after `timeoutMs`. */
  private async seen(requestId: string, timeoutMs: number): Promise<void> {
    let unwatch: () => void = () => undefined;
    const seen = new Promise((resolve) => {
      unwatch = this.lookup.watch(requestId, undefined, resolve);
    });
    await inTime(seen, timeoutMs, () => undefined);
    unwatch();
  }

  /**
   * Publishes what a gateway that died after writing the `end` left undone. Undefined: the request
   * was erased.
   */
  private async finish(identity: UploadIdentity, end: UploadEnd): Promise<Transition | undefined> {
    const { version, bytes } = end;
    const sentMax = this.clock.max.toString();
    const upload = { version, sentMax, bytes, ...identity };
    const transition = uploaded(upload, end.acceptedAt);
    await this.timedLog.append('status', transitionRecord(transition));
    this.lookup.remember(transition);
    const found = await this.lookup.find(identity.requestId);
    if (found === 'unavailable') throw uploadNotTaken();
    return found === 'unknown' ? undefined : found;
  }

  /** The `end` of a settled claim's upload, if it has got one. */
  private async endOfUpload(claim: StandingClaim): Promise<UploadEnd | undefined> {
    const { partition, from, requestId } = claim;
    const until = claim.takenAt + claim.settlesMs + CLOCK_MARGIN_MS;
    for await (const records of this.log.read('uploads', partition, from, Infinity)) {
      for (const { headers, timestamp, value } of records) {
        if (isEndOf(requestId, headers)) return endIn(value);
        if (timestamp > until) return undefined;
      }
    }
    return undefined;
  }
}
