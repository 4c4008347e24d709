import { DAY_SECONDS } from '../domain/days.js';
import { timeOfUuid } from '../domain/request-id.js';
import { rankOf, type Transition } from './transition.js';
import type { Punctuality, RequestStore, RequestTotals } from './request-store.js';
import {
  blockOf,
  columnsOf,
  DATE_TIME,
  nullable,
  STRING,
  UINT128,
  UINT64,
  UUID,
} from '../warehouse/native/block.js';
import { identifier } from '../warehouse/sql.js';
import type { NativeBlock, Warehouse } from '../warehouse/warehouse.js';

/** The longest UPLOAD_DEADLINE_SECONDS. */
const LONGEST_UPLOAD_SECONDS = 864_000;
/** The highest DateTime, in seconds since the epoch. */
const LAST_SECOND = 0xffff_ffff;

/** With FINAL and a condition on `created_at`: other months are not read. See the table's script. */
export const BY_MONTH = 'SETTINGS do_not_merge_across_partitions_select_final = 1';

/** The history's SQL, for any warehouse with the schema. */
export class SqlRequestStore implements RequestStore {
  private readonly table: string;

  constructor(
    private readonly warehouse: Warehouse,
    database: string,
  ) {
    this.table = `${identifier(database)}.request_transitions`;
  }

  async writeTransitions(transitions: readonly Transition[]): Promise<void> {
    if (transitions.length === 0) return;
    await this.warehouse.insert('request_transitions', blockOfTransitions(transitions));
  }

  async statesOf(requestIds: readonly string[]): Promise<ReadonlyMap<string, Transition>> {
    const rows = await this.warehouse.query<Transition>(
      `SELECT toString(request_id) AS requestId, account, family, status,
         prev_status AS prevStatus, reason, ${timestamp('created_at')} AS createdAt,
         ${timestamp('updated_at')} AS updatedAt, toString(version) AS version,
         toString(version) AS sentMax
       FROM ${this.table}
       WHERE request_id IN {ids:Array(UUID)}
         AND created_at >= toDateTime({from:UInt32}, 'UTC')
         AND created_at <= toDateTime({until:UInt32}, 'UTC')
       ORDER BY precedence DESC
       LIMIT 1 BY request_id`,
      { ids: requestIds, ...timesOf(requestIds) },
    );
    return new Map(rows.map((row) => [row.requestId, row]));
  }

  async totals(from: number): Promise<RequestTotals[]> {
    // A Float64 is a number in JSON, a UInt64 is a string.
    return this.warehouse.query<RequestTotals>(
      `SELECT family, status, toFloat64(count()) AS requests,
         toFloat64(sum(rows_validated)) AS validated, toFloat64(sum(rows_stored)) AS stored,
         toFloat64(sum(rows_read_back)) AS readBack, toUnixTimestamp(min(created_at)) AS oldest
       FROM ${this.table} FINAL
       WHERE created_at >= toDateTime(${from}, 'UTC')
       GROUP BY family, status
       ${BY_MONTH}`,
    );
  }

  async punctuality(
    limits: readonly number[],
    windows: readonly number[],
    now: number,
  ): Promise<Punctuality[]> {
    const counted = limits.flatMap((limit) => windows.map((window) => ({ limit, window })));
    const columns = counted.flatMap(({ limit, window }, i) => {
      const isWithin = `at_${limit} > ${now - window} AND at_${limit} <= ${now}`;
      return [
        `countIf(${isWithin}) AS uploads_${i}`,
        `countIf(${isWithin} AND took >= ${limit}) AS late_${i}`,
      ];
    });
    const times = limits.map((limit) => `created + least(took, ${limit}) AS at_${limit}`);
    // Of what was created before, nothing has ended in time or was due within a window.
    const reach = Math.max(...windows) + Math.max(...limits);
    const [row] = await this.warehouse.query<Record<string, string>>(
      `SELECT ${columns.join(', ')}
       FROM (
         SELECT toUnixTimestamp(created_at) AS created,
           toUnixTimestamp(updated_at) - created AS past,
           if(status IN ('succeeded', 'failed'), past, ${reach}) AS took,
           ${times.join(', ')}
         FROM ${this.table} FINAL
         WHERE created_at > toDateTime(${now - reach}, 'UTC')
       )
       ${BY_MONTH}`,
    );
    return counted.map((each, i) => ({
      ...each,
      uploads: Number(row![`uploads_${i}`]),
      late: Number(row![`late_${i}`]),
    }));
  }

  async highestVersion(): Promise<bigint> {
    const [row] = await this.warehouse.query<{ highest: string }>(
      `SELECT toString(max(version)) AS highest FROM ${this.table}`,
    );
    return BigInt(row?.highest ?? 0);
  }
}

/**
 * Between which seconds the requests were created, so that other months are not read. An id has the
 * time at which its upload began; a day is for clocks that step. Ids of another version than 7 have
 * no time.
 */
function timesOf(requestIds: readonly string[]): { from: number; until: number } {
  const times = requestIds.map((id) => Math.floor((timeOfUuid(id) ?? NaN) / 1000));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  if (!Number.isFinite(first)) return { from: 0, until: LAST_SECOND };
  const within = (second: number): number => Math.min(Math.max(second, 0), LAST_SECOND);
  return {
    from: within(first - DAY_SECONDS),
    until: within(last + LONGEST_UPLOAD_SECONDS + DAY_SECONDS),
  };
}

/** A DateTime in the form of a transition's times. */
function timestamp(column: string): string {
  return `formatDateTime(${column}, '%Y-%m-%dT%H:%i:%S')`;
}

function blockOfTransitions(transitions: readonly Transition[]): NativeBlock {
  const of = columnsOf(transitions);
  return blockOf(
    [
      of('request_id', UUID, ({ requestId }) => requestId),
      of('account', STRING, ({ account }) => account),
      of('family', STRING, ({ family }) => family),
      of('status', STRING, ({ status }) => status),
      of('prev_status', nullable(STRING), ({ prevStatus }) => prevStatus),
      of('reason', nullable(STRING), ({ reason }) => reason),
      of('created_at', DATE_TIME, ({ createdAt }) => secondsOf(createdAt)),
      of('updated_at', DATE_TIME, ({ updatedAt }) => secondsOf(updatedAt)),
      of('version', UINT128, ({ version }) => BigInt(version)),
      of('csv_bytes', UINT64, ({ bytes }) => bytes ?? 0),
      of('rows_validated', UINT64, ({ rows }) => rows?.validated ?? 0),
      of('rows_stored', UINT64, ({ rows }) => rows?.stored ?? 0),
      of('rows_read_back', UINT64, ({ rows }) => rows?.readBack ?? 0),
      of('precedence', UINT64, precedenceOf),
    ],
    transitions.length,
  );
}

/**
 * Which of a request's transitions stays: the highest rank, and of that the earliest. A replay
 * publishes a transition again at a later time; the first one is what clients have been told.
 */
function precedenceOf({ status, updatedAt }: Transition): bigint {
  return (BigInt(rankOf(status)) << 32n) | BigInt(0xffff_ffff - secondsOf(updatedAt));
}

function secondsOf(timestamp: string): number {
  return Date.parse(`${timestamp}Z`) / 1000;
}
