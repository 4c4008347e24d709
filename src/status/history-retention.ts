import { DAY_MS } from '../domain/days.js';
import { sleep } from '../domain/retry.js';
import { lastVersionAt } from '../domain/version.js';
import { background, type Component } from '../ops/components.js';
import type { Logger } from '../ops/logger.js';
import { historyDeletionFailures } from '../ops/metrics.js';
import { deleteWhere, type StoredTables } from '../warehouse/rows/delete-where.js';
import { identifier, text } from '../warehouse/sql.js';
import { WarehouseError } from '../warehouse/warehouse.js';
import { BY_MONTH } from './sql-request-store.js';

const LOOK_MS = 3_600_000;
/** A deletion writes parts again, so it waits until there is a day to delete. */
const BETWEEN_MS = DAY_MS;
/** A gateway whose clock is behind by less does not ask for what is deleted. */
const CLOCK_MARGIN_MS = 3_600_000;
/** Requests that one statement leaves out: 40 bytes each, of the 256 KiB that it may have. */
const MOST_LEFT_OUT = 1_000;

/**
 * Deletes from one table what is an hour older than the retention, as soon as something is a day
 * older than that. Resolves when every replica has done so.
 *
 * @param now milliseconds since the epoch
 * @param signal once it is aborted, no further statement begins
 * @returns how many rows were found; 0 when none was old enough
 * @throws WarehouseError, or the reason of `signal`
 */
type Deletion = (
  tables: StoredTables,
  retentionMs: number,
  now: number,
  signal?: AbortSignal,
) => Promise<number>;

/**
 * Deletes ended requests. All transitions of a request agree on what the statement asks for, so
 * they go together, and no earlier one becomes the request's state. The version is asked for as
 * well: what is deleted has no version that a gateway might give again.
 */
export const deleteRequests: Deletion = async (tables, retentionMs, now, signal) => {
  const before = now - retentionMs - CLOCK_MARGIN_MS;
  const old = ofRequestsUntil(before);
  const due = ofRequestsUntil(before - BETWEEN_MS);
  signal?.throwIfAborted();
  const unfinished = await tables.warehouse.query<{ id: string }>(
    `SELECT toString(request_id) AS id
     FROM ${identifier(tables.database)}.request_transitions FINAL
     WHERE ${old} AND status NOT IN ('succeeded', 'failed')
     ORDER BY request_id
     ${BY_MONTH}`,
  );
  let rows = 0;
  for (const others of allBut(unfinished.map(({ id }) => `toUUID(${text(id)})`))) {
    const condition = [old, ...others].join(' AND ');
    rows += await deleteWhere(tables, 'request_transitions', condition, due, signal);
  }
  return rows;
};

export const deleteEvents: Deletion = (tables, retentionMs, now, signal) => {
  const before = now - retentionMs - CLOCK_MARGIN_MS;
  const olderThan = (milliseconds: number): string => `at < ${timeIn(milliseconds)}`;
  const due = olderThan(before - BETWEEN_MS);
  return deleteWhere(tables, 'audit_events', olderThan(before), due, signal);
};

/** By table. What keeps one of them from being deleted does not keep the other. */
const DELETIONS = { request_transitions: deleteRequests, audit_events: deleteEvents };

/**
 * Ranges of `request_id` that together are all requests but some, as terms of a condition each.
 *
 * @param ids of those that are left out, in the engine's order
 */
function allBut(ids: readonly string[]): string[][] {
  const ranges: string[][] = [];
  for (let from = 0; from === 0 || from < ids.length; from += MOST_LEFT_OUT) {
    const until = from + MOST_LEFT_OUT;
    const leftOut = ids.slice(from, until);
    ranges.push([
      ...(from > 0 ? [`request_id > ${ids[from - 1]!}`] : []),
      ...(until < ids.length ? [`request_id <= ${ids[until - 1]!}`] : []),
      ...(leftOut.length > 0 ? [`request_id NOT IN (${leftOut.join(', ')})`] : []),
    ]);
  }
  return ranges;
}

function ofRequestsUntil(milliseconds: number): string {
  const version = lastVersionAt(milliseconds).toString();
  return `created_at < ${timeIn(milliseconds)} AND version <= toUInt128('${version}')`;
}

function timeIn(milliseconds: number): string {
  return `toDateTime(${Math.floor(milliseconds / 1000)}, 'UTC')`;
}

/** Deletes what has expired, again and again. While the warehouse is away or refuses, it waits. */
export function startHistoryRetention(
  tables: StoredTables,
  retentionMs: number,
  logger: Logger,
  lookMs = LOOK_MS,
): Component {
  for (const table of Object.keys(DELETIONS)) historyDeletionFailures.inc({ table }, 0);
  return background(async (signal) => {
    const attempt = async (table: string, deletion: Deletion): Promise<void> => {
      try {
        const rows = await deletion(tables, retentionMs, Date.now(), signal);
        if (rows > 0) logger.info({ table, rows }, 'rows that are too old are deleted');
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof WarehouseError)) throw error;
        const { code, message: reason } = error;
        historyDeletionFailures.inc({ table });
        logger.warn({ table, code, reason }, 'rows that are too old may not be deleted yet');
      }
    };
    while (!signal.aborted) {
      for (const [table, deletion] of Object.entries(DELETIONS)) await attempt(table, deletion);
      await sleep(lookMs, signal);
    }
  });
}
