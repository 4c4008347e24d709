import { isFinal } from '../domain/requests/status.js';
import { furtherOf, type Transition } from '../domain/requests/transition.js';
import type { RecordPosition } from '../log/upload-log.js';
import { isFurther, Watches } from './watches.js';

/** What the view knows of one request. */
export interface ViewedRequest {
  readonly transition: Transition;
  /**
   * Whether all of the request's life was seen here. If not, the history may know a further state:
   * after a restart, ingest publishes the transitions of a replayed upload once more.
   */
  readonly sinceCreation: boolean;
  /** Where its latest record stands; undefined when only this process has told of it so far. */
  readonly position: RecordPosition | undefined;
}

/**
 * What this process has seen on the status topic: the fold of each request's transitions, bounded.
 *
 * When it is full, the request that was heard of first is forgotten; the history has it, or will.
 */
export class StatusView {
  private readonly requests = new Map<string, ViewedRequest>();
  private bytes = 0;
  /** By partition: the highest offset of a record whose request has been forgotten. */
  private readonly forgotten = new Map<number, number>();
  private readonly watches = new Watches();

  /** @param maxBytes about how much memory the requests may take */
  constructor(private readonly maxBytes: number) {}

  get(requestId: string): ViewedRequest | undefined {
    return this.requests.get(requestId);
  }

  /** @param position where the transition's record stands; nothing else of it is kept */
  apply(transition: Transition, position?: RecordPosition): void {
    const known = this.requests.get(transition.requestId);
    const isFinished = known !== undefined && isFinal(known.transition.status);
    const viewed = {
      transition: isFinished ? known.transition : furtherOf(known?.transition, transition),
      sinceCreation: known?.sinceCreation === true || transition.status === 'uploaded',
      position: position === undefined ? known?.position : onlyPosition(position),
    };
    this.requests.set(transition.requestId, viewed);
    this.bytes += sizeOf(viewed) - (known === undefined ? 0 : sizeOf(known));
    while (this.bytes > this.maxBytes && this.requests.size > 1) this.forgetOldest();
    this.watches.tell(viewed.transition);
  }

  /** See `RequestLookup.watch`. */
  watch(
    requestId: string,
    known: Transition | undefined,
    changed: (transition: Transition) => void,
  ): () => void {
    const now = this.requests.get(requestId)?.transition;
    if (now === undefined || !isFurther(known, now)) {
      return this.watches.add(requestId, known, changed);
    }
    changed(now);
    return () => undefined;
  }

  /** Whether a history that was written up to `offsets` (by partition) has every forgotten request. */
  isCoveredBy(offsets: readonly number[]): boolean {
    return [...this.forgotten].every(([partition, offset]) => offset < (offsets[partition] ?? 0));
  }

  private forgetOldest(): void {
    for (const [requestId, viewed] of this.requests) {
      this.requests.delete(requestId);
      this.bytes -= sizeOf(viewed);
      const { position } = viewed;
      if (position !== undefined) {
        const { partition, offset } = position;
        this.forgotten.set(partition, Math.max(offset, this.forgotten.get(partition) ?? 0));
      }
      return;
    }
  }
}

/** A record is a position too, and its value is a view of all that was fetched with it. */
function onlyPosition({ partition, offset }: RecordPosition): RecordPosition {
  return { partition, offset };
}

/** A request without a reason: 720 bytes of heap, measured in a service that had taken 20,000. */
const REQUEST_BYTES = 750;

/** About how much memory a request takes; a reason may have 64 KiB. */
function sizeOf({ transition }: ViewedRequest): number {
  return REQUEST_BYTES + 2 * (transition.reason?.length ?? 0);
}
