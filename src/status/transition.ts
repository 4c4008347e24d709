import type { FamilyName } from '../domain/families/index.js';

/** The state of an upload request. `succeeded` and `failed` are final. */
export const STATUSES = ['uploaded', 'validated', 'ingested', 'succeeded', 'failed'] as const;
export type Status = (typeof STATUSES)[number];

const RANK: Readonly<Record<Status, number>> = {
  uploaded: 1,
  validated: 2,
  ingested: 3,
  failed: 4,
  succeeded: 5,
};

/**
 * The order of the fold over a request's transitions: the highest rank is the state. A verdict is a
 * pure function of the log's records. So `failed` and `succeeded` both occur only when a replay finds
 * fewer records than the first time, or stores an upload that was set aside. Then rows that were
 * read back win, in any order of the events.
 */
export function rankOf(status: Status): number {
  return RANK[status];
}

export function isFinal(status: Status): boolean {
  return status === 'succeeded' || status === 'failed';
}

export function isStatus(text: unknown): text is Status {
  return (STATUSES as readonly unknown[]).includes(text);
}

/**
 * One step in the life of an upload request, as a record of the status topic has it.
 *
 * It is published only after what it tells is durable. A request's state is the fold of its
 * transitions by rank, so duplicates, reordering and late writers do no harm.
 */
export interface Transition {
  readonly requestId: string;
  readonly account: string;
  readonly family: FamilyName;
  readonly status: Status;
  readonly prevStatus: Status | null;
  /** A JSON object as a string, from column name to messages; only for `failed`. */
  readonly reason: string | null;
  /** UTC, `YYYY-MM-DDTHH:MM:SS`. */
  readonly createdAt: string;
  /** UTC, `YYYY-MM-DDTHH:MM:SS`. */
  readonly updatedAt: string;
  /** The upload's version, decimal: see `domain/version`. */
  readonly version: string;
  /** The highest version that the sender had seen, decimal. */
  readonly sentMax: string;
  /**
   * The unpacked CSV bytes of the upload that the log keeps. Absent in older records, counted as 0,
   * and in a state that the history was asked for.
   */
  readonly bytes?: number;
  /**
   * Who made the request, as the upload's `end` says. Only on the transition after `uploaded`, since
   * a gateway may end before it has published that one; in older records on `uploaded`.
   */
  readonly actor?: string;
  /** How many data rows have come how far; absent on `uploaded`, zeros on `failed`. */
  readonly rows?: RowCounts;
}

/** The data rows of one upload at each step, each counted by the step itself. */
export interface RowCounts {
  readonly validated: number;
  readonly stored: number;
  /** Read back at the upload's version, or superseded by a later upload. */
  readonly readBack: number;
}

/** What the create and read operations answer: exactly these six fields. */
export type UploadRequestRecord = Pick<
  Transition,
  'requestId' | 'status' | 'prevStatus' | 'reason' | 'createdAt' | 'updatedAt'
>;

export function recordOf(transition: Transition): UploadRequestRecord {
  const { requestId, status, prevStatus, reason, createdAt, updatedAt } = transition;
  return { requestId, status, prevStatus, reason, createdAt, updatedAt };
}

/** An accepted upload, as far as its first transition needs it. */
type AcceptedUpload = Pick<
  Transition,
  'requestId' | 'account' | 'family' | 'version' | 'sentMax'
> & {
  readonly bytes: number;
  /** For the transition after this one. */
  readonly actor?: string | undefined;
};

/**
 * The first transition of a request that was accepted at `acceptedAt` (milliseconds since the
 * epoch). Append its record together with the upload's `end`, never before it.
 */
export function uploaded(upload: AcceptedUpload, acceptedAt: number): Transition {
  const { requestId, account, family, version, sentMax, bytes, actor } = upload;
  const at = timestampOf(acceptedAt);
  return {
    requestId,
    account,
    family,
    status: 'uploaded',
    prevStatus: null,
    reason: null,
    createdAt: at,
    updatedAt: at,
    version,
    sentMax,
    bytes,
    ...(actor !== undefined && { actor }),
  };
}

/** The further of the two: one step of the fold. */
export function furtherOf(known: Transition | undefined, event: Transition): Transition {
  return known === undefined || rankOf(event.status) > rankOf(known.status) ? event : known;
}

/** What a transition adds to the one before. */
export interface Change {
  readonly status: Status;
  readonly reason: string | null;
  readonly sentMax: string;
  readonly rows: RowCounts;
}

/** The transition that follows `from`, at `now` (milliseconds since the epoch). */
export function advance(
  from: Transition,
  { status, reason, sentMax, rows }: Change,
  now: number,
): Transition {
  const { requestId, account, family, createdAt, version, bytes } = from;
  return {
    requestId,
    account,
    family,
    status,
    prevStatus: from.status,
    reason,
    createdAt,
    // With a clock behind the gateway's, a record must not become older than its creation.
    updatedAt: later(createdAt, timestampOf(now)),
    version,
    sentMax,
    ...(bytes !== undefined && { bytes }),
    ...(from.status === 'uploaded' && from.actor !== undefined && { actor: from.actor }),
    rows,
  };
}

/** `YYYY-MM-DDTHH:MM:SS` in UTC of milliseconds since the epoch. */
export function timestampOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19);
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}
