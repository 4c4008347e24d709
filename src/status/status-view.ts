import { furtherOf, type Transition } from './transition.js';
import { isAbove } from '../domain/version.js';
import type { RecordPosition } from '../log/upload-log.js';

/** What the view knows of one request. */
export interface ViewedRequest {
  readonly transition: Transition;
  /** The history has been asked for the request's records that are not seen here. */
  readonly isMerged: boolean;
  /**
   * The position of its latest record; undefined when it is known from this process alone so far.
   */
  readonly position: RecordPosition | undefined;
}

/**
 * What this process has seen on the status topic: the fold of each request's transitions, bounded.
 * When it is full, the request known longest is forgotten; the history has it, or will.
 *
 * The topic is read from some offset on, and any record may come again or late, so less may be seen
 * of a request than clients have been told. All records of a request have its version, and the view
 * knows up to which version it may lack records (`mayLack`). Above that version nothing is missing,
 * whatever any clock says, and the view answers alone. At or below it the history is asked, once
 * for each request: it has what was written before this process began to read, and every later
 * record has been seen here.
 */
export class StatusView {
  private readonly requests = new Map<string, ViewedRequest>();
  private bytes = 0;
  /** By partition: the highest offset of a record of a forgotten request. */
  private readonly forgotten = new Map<number, number>();
  private readonly watches = new Watches();
  private lackedUpTo = '0';

  /** @param maxBytes about how much memory the requests may take */
  constructor(private readonly maxBytes: number) {}

  /** What has been seen of the request; a further state may be missing. */
  get(requestId: string): ViewedRequest | undefined {
    return this.requests.get(requestId);
  }

  /** The request's state if surely no record of it is missing here. */
  whole(requestId: string): Transition | undefined {
    const viewed = this.requests.get(requestId);
    if (viewed === undefined) return undefined;
    const { transition, isMerged } = viewed;
    return isMerged || isAbove(transition.version, this.lackedUpTo) ? transition : undefined;
  }

  /** Records of requests up to this version (decimal) may be missing here. */
  mayLack(version: string): void {
    if (isAbove(version, this.lackedUpTo)) this.lackedUpTo = version;
  }

  /** Whether any request that was seen here has been forgotten. */
  get hasForgotten(): boolean {
    return this.forgotten.size > 0;
  }

  /** @param position of the transition's record, the only part of it that is kept */
  apply(transition: Transition, position?: RecordPosition): void {
    const known = this.requests.get(transition.requestId);
    this.set(known, {
      transition: furtherOf(known?.transition, transition),
      isMerged: known?.isMerged === true,
      position: position === undefined ? known?.position : onlyPosition(position),
    });
  }

  /**
   * Takes in the history's answer about a request. Call it only with an answer that was read after
   * every forgotten record was written (`isCoveredBy`).
   *
   * @param written undefined: the history does not have the request
   * @returns the request's state; undefined when it is unknown here and there
   */
  merge(requestId: string, written: Transition | undefined): Transition | undefined {
    const known = this.requests.get(requestId);
    // Only requests on the topic are kept: old ones are not to take the place of new ones.
    if (known === undefined) return written;
    // Of two records of one rank the earlier was published first; a replay publishes a state again.
    const transition = furtherOf(written, known.transition);
    this.set(known, { ...known, transition, isMerged: true });
    return transition;
  }

  /** See `RequestLookup.watch`. */
  watch(
    requestId: string,
    known: Transition | undefined,
    changed: (transition: Transition) => void,
  ): () => void {
    const now = this.get(requestId)?.transition;
    if (now === undefined || !isFurther(known, now)) {
      return this.watches.add(requestId, known, changed);
    }
    changed(now);
    return () => undefined;
  }

  /**
   * Whether a history that was written up to `offsets` (by partition) has every forgotten request.
   */
  isCoveredBy(offsets: readonly number[]): boolean {
    return [...this.forgotten].every(([partition, offset]) => offset < (offsets[partition] ?? 0));
  }

  private set(known: ViewedRequest | undefined, viewed: ViewedRequest): void {
    this.requests.set(viewed.transition.requestId, viewed);
    this.bytes += sizeOf(viewed) - (known === undefined ? 0 : sizeOf(known));
    while (this.bytes > this.maxBytes && this.requests.size > 1) this.forgetOldest();
    this.watches.tell(viewed.transition);
  }

  private forgetOldest(): void {
    for (const [requestId, viewed] of this.requests) {
      this.requests.delete(requestId);
      this.bytes -= sizeOf(viewed);
      this.mayLack(viewed.transition.version);
      const { position } = viewed;
      if (position !== undefined) {
        const { partition, offset } = position;
        this.forgotten.set(partition, Math.max(offset, this.forgotten.get(partition) ?? 0));
      }
      return;
    }
  }
}

/** Without the rest of a record, whose value is a view of everything fetched with it. */
function onlyPosition({ partition, offset }: RecordPosition): RecordPosition {
  return { partition, offset };
}

/** A request without a reason: 720 bytes of heap, measured in a service that had taken 20,000. */
const REQUEST_BYTES = 750;

/** The approximate memory of a request; a reason may have 64 KiB. */
function sizeOf({ transition }: ViewedRequest): number {
  return REQUEST_BYTES + 2 * (transition.reason?.length ?? 0);
}

/** Callers that wait for a request's next state. Each is called once. */
export class Watches {
  private readonly byRequest = new Map<string, Set<(state: Transition) => void>>();

  /**
   * @param known undefined: any state is news
   * @returns ends the watch; harmless when it has ended
   */
  add(
    requestId: string,
    known: Transition | undefined,
    changed: (transition: Transition) => void,
  ): () => void {
    const watches = this.byRequest.get(requestId) ?? new Set();
    this.byRequest.set(requestId, watches);
    const end = (): void => {
      if (watches.delete(watch) && watches.size === 0) this.byRequest.delete(requestId);
    };
    const watch = (state: Transition): void => {
      if (!isFurther(known, state)) return;
      end();
      changed(state);
    };
    watches.add(watch);
    return end;
  }

  /** @param state the request's state, which may be the same as before */
  tell(state: Transition): void {
    for (const watch of [...(this.byRequest.get(state.requestId) ?? [])]) watch(state);
  }
}

function isFurther(known: Transition | undefined, state: Transition): boolean {
  return furtherOf(known, state) !== known;
}
