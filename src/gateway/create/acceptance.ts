import { Inject, Injectable } from '@nestjs/common';
import { dayInTimeZone } from '../../domain/days.js';
import { coversRequest, type ErasedUploads } from '../../domain/erased-uploads.js';
import type { AcceptanceFence, RequestLookup } from '../../status/request-lookup.js';
import { transitionRecord } from '../../status/publisher.js';
import { type Transition, uploaded } from '../../status/transition.js';
import type { VersionClock } from '../../domain/version.js';
import {
  ACCEPTANCE_FENCE,
  ERASED_UPLOADS,
  GATEWAY_CONFIG,
  REQUEST_LOOKUP,
  VERSION_CLOCK,
  type GatewayConfig,
} from '../dependencies.js';
import { Idempotency, type KeyedFile } from './idempotency/idempotency.js';
import { uploadNotTaken } from '../http/problem.js';
import type { UploadIdentity } from '../../log/uploads/upload-records.js';
import type { UploadWriter } from './receive/upload-writer.js';
import { answerOf } from './timed-log.js';

/** A file that has arrived completely, and what was begun for it when its upload began. */
export interface ArrivedFile {
  readonly identity: UploadIdentity;
  /** The id of the token that the request came with. */
  readonly actor: string;
  readonly timeZone: string;
  readonly finding: string | null;
  readonly caughtUp: () => Promise<void>;
  /** Undefined: the request has no idempotency key. */
  readonly keyed: KeyedFile | undefined;
  /** The trace that its processing belongs to. */
  readonly traceparent: string | undefined;
}

/** Makes a complete file an upload request. */
@Injectable()
export class Acceptance {
  constructor(
    @Inject(ACCEPTANCE_FENCE) private readonly fence: AcceptanceFence,
    @Inject(VERSION_CLOCK) private readonly clock: VersionClock,
    @Inject(REQUEST_LOOKUP) private readonly lookup: RequestLookup,
    @Inject(ERASED_UPLOADS) private readonly erased: ErasedUploads,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * Begins a look at all uploads accepted so far. Call it when an upload begins, and call what it
   * returns when its file is complete: then the upload wins over every upload whose 201 its client
   * has had by then, from any gateway.
   */
  catchUp(): () => Promise<void> {
    let hasFailed = false;
    const first = this.look();
    first.catch(() => (hasFailed = true));
    // If it failed while the file came, that is no reason to refuse it: a later look shows more.
    return () => (hasFailed ? this.look() : first);
  }

  /**
   * Resolves with the upload's first transition. When another upload has had the idempotency key
   * before, it resolves with that one's current transition, and this upload is to be aborted.
   *
   * @throws LogUnavailableError whether the upload is accepted is then unknown
   * @throws Problem 503 while the account is being erased; of the idempotency key: 409, 422, 503
   */
  async accept(file: ArrivedFile, writer: UploadWriter): Promise<Transition> {
    const acceptedAt = Date.now();
    // 1. All chunks but the last are durable, and the clock is above every upload accepted before.
    const stored = await writer.acknowledged();
    await file.caughtUp();
    // What the account had begun before is dropped. Clocks differ, so it may also be the first upload
    // of a new account.
    if (coversRequest(this.erased, file.identity.account, file.identity.requestId)) {
      throw uploadNotTaken();
    }
    if (file.keyed !== undefined) {
      const { partition } = writer;
      const place = { partition, firstOffset: stored.firstOffset };
      const earlier = await this.idempotency.claim(file.keyed, file.identity, place);
      if (earlier !== undefined) return earlier;
    }
    // 2. The upload gets its place in the order.
    const version = this.clock.next().toString();
    const sentMax = this.clock.max.toString();
    const transition = uploaded(
      { version, sentMax, bytes: stored.bytes, ...file.identity },
      acceptedAt,
    );
    // 3. The end, with the last chunk, completes the upload. The transition makes it known.
    const end = {
      acceptedAt,
      version,
      actor: file.actor,
      finding: file.finding,
      requestDay: dayInTimeZone(acceptedAt, file.timeZone),
      integratedChannels: this.config.integratedChannels,
      ...stored,
    };
    await writer.end(end, file.traceparent, transitionRecord(transition));
    // 4. A read that follows finds it, even if the tail has not come so far.
    this.lookup.remember(transition);
    return transition;
  }

  private look(): Promise<void> {
    const { logTimeoutMs } = this.config.limits;
    return answerOf('look at status', this.fence.caughtUp(), logTimeoutMs);
  }
}
