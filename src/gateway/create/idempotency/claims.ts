import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Failure } from '../../../domain/failure.js';
import { LogUnavailableError, type Tail, type UploadLog } from '../../../log/upload-log.js';
import { offsetsAt } from '../../../log/offsets-at.js';
import { TimedLog, answerOf } from '../timed-log.js';
import { GATEWAY_CONFIG, UPLOAD_LOG, type GatewayConfig } from '../../dependencies.js';
import { type Claim, claimOf, claimRecord, type StandingClaim } from './claim.js';
import { CLAIM_MS, ClaimView } from './claim-view.js';

/** About 60 MB (300 bytes each, measured); 24 hours at 2 keyed uploads a second. */
const MAX_CLAIMS = 200_000;
/** The log's clock may differ from this machine's. */
const CLOCK_MARGIN_MS = 3_600_000;

interface Followed {
  readonly tail: Tail;
  /** What was on the topic when the tail began, until it has been read. */
  ends: readonly number[];
}

/**
 * The claims on idempotency keys, of all gateways. The topic is followed from the first upload on
 * that has a key: without keys it costs nothing.
 */
@Injectable()
export class Claims implements OnApplicationShutdown {
  private readonly view = new ClaimView(MAX_CLAIMS);
  private readonly failure = new Failure();
  /** Rejects when the claims of others can no longer be followed. */
  readonly failed = this.failure.promise;
  private following: Promise<Followed> | undefined;

  constructor(
    @Inject(UPLOAD_LOG) private readonly log: UploadLog,
    @Inject(TimedLog) private readonly timedLog: TimedLog,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * Makes a claim, and tells whose claim holds the key and for how long by the log's clock. Both
   * are at most one log timeout old.
   *
   * @throws LogUnavailableError the claim may have been made
   */
  async make(claim: Claim): Promise<{ standing: StandingClaim; ageMs: number }> {
    const { logTimeoutMs } = this.config.limits;
    const followed = await answerOf('look at claims', this.follow(), logTimeoutMs);
    const { tail } = followed;
    // Before that, the view may not know the claim that holds the key.
    await tail.reached(followed.ends, logTimeoutMs);
    followed.ends = [];
    for (;;) {
      const holder = this.view.get(claim.key)?.requestId;
      const behind = holder === claim.supersedes ? undefined : holder;
      const from = performance.now();
      const { offset } = await this.timedLog.append('claims', claimRecord({ ...claim, behind }));
      await tail.reached([offset + 1], logTimeoutMs);
      // A process that was held up must not act on an old answer: others may have taken over.
      if (performance.now() - from > logTimeoutMs) throw new LogUnavailableError('late claim');
      let standing = this.view.get(claim.key);
      // The bound of the view may have forgotten it.
      if (behind === undefined) standing ??= { takenAt: this.view.now, ...claim };
      if (standing !== undefined) return { standing, ageMs: this.view.now - standing.takenAt };
      // The holder's time is over, and the key is free.
    }
  }

  async onApplicationShutdown(): Promise<void> {
    const followed = await this.following?.catch(() => undefined);
    await followed?.tail.stop();
  }

  private follow(): Promise<Followed> {
    this.following ??= this.start().catch((error: unknown) => {
      this.following = undefined;
      throw error;
    });
    return this.following;
  }

  private async start(): Promise<Followed> {
    const from = await offsetsAt(this.log, 'claims', Date.now() - CLAIM_MS - CLOCK_MARGIN_MS);
    const ends = await this.log.endOffsets('claims');
    const tail = await this.log.tail('claims', from, (records) => {
      for (const record of records) this.view.apply(claimOf(record));
    });
    tail.failed.catch(this.failure.report);
    return { tail, ends };
  }
}
