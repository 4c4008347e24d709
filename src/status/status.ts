/** Where an upload request stands. `succeeded` and `failed` are final. */
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
 * The order of the fold over a request's transitions: the highest rank is the state. A verdict is
 * a pure function of the log's records, so `failed` and `succeeded` occur both only when a replay finds
 * fewer records than the first time: rows that were read back win then, whatever the order of the
 * events.
 */
export function rankOf(status: Status): number {
  return RANK[status];
}

export function isFinal(status: Status): boolean {
  return status === 'succeeded' || status === 'failed';
}

export function isStatus(text: string): text is Status {
  return (STATUSES as readonly string[]).includes(text);
}
