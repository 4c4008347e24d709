import { Failure } from '../domain/failure.js';
import { sleep } from '../domain/retry.js';
import { lastVersionAt } from '../domain/version.js';
import type { Component } from '../ops/components.js';
import type { Logger } from '../ops/logger.js';
import { storedTable } from '../warehouse/schema/placeholders.js';
import { identifier, text } from '../warehouse/sql.js';
import { type Warehouse, WarehouseError } from '../warehouse/warehouse.js';

const LOOK_MS = 3_600_000;
/** A deletion writes parts again, so it waits until there is a day to delete. */
const DAY_MS = 86_400_000;

export interface HistoryTables {
  readonly warehouse: Warehouse;
  readonly database: string;
  /** Undefined: a single server. */
  readonly cluster: string | undefined;
}

/**
 * Deletes ended requests and audit events that are older than the retention, as soon as one is a
 * day older. Resolves when every replica has done so.
 *
 * All transitions of a request agree on what the statement asks for, so they go together, and no
 * earlier one becomes the request's state. The version is asked for as well: what is deleted has no
 * version that a gateway might give again.
 *
 * @param now milliseconds since the epoch
 * @returns how many transitions and events were found; 0 when none was old enough
 * @throws WarehouseError
 */
export async function deleteExpired(
  tables: HistoryTables,
  retentionMs: number,
  now: number,
): Promise<number> {
  const { warehouse, database } = tables;
  const before = now - retentionMs;
  const unfinished = await warehouse.query<{ id: string }>(
    `SELECT toString(request_id) AS id FROM ${identifier(database)}.request_transitions FINAL
     WHERE ${ofRequestsUntil(before)} AND status NOT IN ('succeeded', 'failed')`,
  );
  const ids = unfinished.map(({ id }) => text(id)).join(', ');
  const isEnded = ids === '' ? '' : ` AND request_id NOT IN (${ids})`;
  const ended = (ms: number): string => ofRequestsUntil(ms) + isEnded;
  const requests = await deleteUntil(tables, 'request_transitions', ended, before);
  const old = (ms: number): string => `at < ${timeIn(ms)}`;
  const events = await deleteUntil(tables, 'audit_events', old, before);
  return requests + events;
}

async function deleteUntil(
  { warehouse, database, cluster }: HistoryTables,
  table: string,
  until: (milliseconds: number) => string,
  before: number,
): Promise<number> {
  const [found] = await warehouse.query<{ rows: string; due: string }>(
    `SELECT count() AS rows, countIf(${until(before - DAY_MS)}) AS due
     FROM ${identifier(database)}.${identifier(table)} WHERE ${until(before)}`,
  );
  if (Number(found?.due ?? 0) === 0) return 0;
  await warehouse.execute(
    `ALTER TABLE ${storedTable(database, table, cluster)} DELETE WHERE ${until(before)} ` +
      'SETTINGS mutations_sync = 2',
  );
  return Number(found?.rows);
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
  tables: HistoryTables,
  retentionMs: number,
  logger: Logger,
  lookMs = LOOK_MS,
): Component {
  const aborting = new AbortController();
  const isStopped = (): boolean => aborting.signal.aborted;
  const failure = new Failure();
  const run = async (): Promise<void> => {
    while (!isStopped()) {
      try {
        const rows = await deleteExpired(tables, retentionMs, Date.now());
        if (rows > 0) logger.info({ rows }, 'old requests and audit events are deleted');
      } catch (error) {
        if (!(error instanceof WarehouseError)) throw error;
        if (isStopped()) return;
        const { code, message: reason } = error;
        logger.warn({ code, reason }, 'old requests and audit events are not deleted');
      }
      await sleep(lookMs, aborting.signal);
    }
  };
  run().catch(failure.report);
  return {
    failed: failure.promise,
    stop: () => {
      aborting.abort();
    },
  };
}
