import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@jest/globals';

import type { QueryTarget } from '../model/compare-views.js';
import type { ServiceProcess } from './service-process.js';

/** The history lags a little behind, and the gauges are measured at most every ten seconds. */
const SETTLE_MS = 60_000;
const LOOK_MS = 200;

/** What a test knows of the requests of one account. */
export interface KnownRequests {
  readonly account: string;
  readonly succeeded: readonly string[];
  readonly failed?: readonly string[];
  /** Data rows of the requests that succeeded. */
  readonly rows: number;
  /** Number of creates without a 201. Each may still have been accepted. */
  readonly unanswered?: number;
}

/**
 * Waits until no request is in flight, then checks the service's invariants. The history has every
 * request once, in its state and with all its rows validated, stored and read back. The gauges
 * match the history.
 */
export async function expectInvariants(
  service: ServiceProcess,
  warehouse: QueryTarget,
  ...accounts: readonly KnownRequests[]
): Promise<void> {
  const known = accounts.flatMap(({ succeeded, failed = [] }) => [...succeeded, ...failed]).length;
  for (const until = Date.now() + SETTLE_MS; ;) {
    await sleep(LOOK_MS);
    const isLate = Date.now() > until;
    // A lagging history also has nothing in flight, so it must have all requests of these accounts.
    const ended = await endedOf(warehouse, accounts);
    const totals = await totalsOf(warehouse);
    const hasEnded = totals.inFlight === 0 && ended >= known;
    if (!hasEnded && !isLate) continue;
    // Asked only now: gauges that were measured too early stay as they are for ten seconds.
    const gauges = await gaugesOf(service);
    if (JSON.stringify(gauges) !== JSON.stringify(totals) && !isLate) continue;
    expect(totals.inFlight).toBe(0);
    expect(ended).toBeGreaterThanOrEqual(known);
    expect(gauges).toEqual(totals);
    break;
  }
  await expectWholeRequests(warehouse);
  for (const known of accounts) await expectRequests(warehouse, known);
}

interface Totals {
  readonly inFlight: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly rows: { readonly validated: number; readonly stored: number; readonly readBack: number };
}

/**
 * All transitions of a request agree on its time and its version: they are in one partition, which
 * readers of a month count on, and what deletes old requests deletes all of them.
 */
async function expectWholeRequests(warehouse: QueryTarget): Promise<void> {
  const split = await warehouse.query(
    `SELECT toString(request_id) AS id FROM request_transitions
     GROUP BY request_id HAVING uniqExact(created_at, version) > 1`,
  );
  expect(split).toEqual([]);
}

/** How many requests of the accounts have ended, by the history. */
async function endedOf(
  warehouse: QueryTarget,
  accounts: readonly KnownRequests[],
): Promise<number> {
  const names = accounts.map(({ account }) => `'${account}'`).join(', ');
  const [row] = await warehouse.query<{ ended: number }>(
    `SELECT toUInt32(uniqExact(request_id)) AS ended FROM request_transitions
     WHERE account IN (${names}) AND status IN ('succeeded', 'failed')`,
  );
  return row?.ended ?? 0;
}

async function expectRequests(
  warehouse: QueryTarget,
  { account, succeeded, failed = [], rows, unanswered = 0 }: KnownRequests,
): Promise<void> {
  const history = await warehouse.query<{ id: string; status: string; rows: number[] }>(
    `SELECT toString(request_id) AS id, status,
       arrayMap(x -> toFloat64(x), [rows_validated, rows_stored, rows_read_back]) AS rows
     FROM request_transitions FINAL WHERE account = '${account}'`,
  );
  const byId = new Map(history.map((request) => [request.id, request]));
  expect(byId.size).toBe(history.length);
  const found = { succeeded: 0, rows: [0, 0, 0], failed: 0 };
  for (const id of succeeded) {
    const request = byId.get(id);
    if (request?.status === 'succeeded') found.succeeded++;
    found.rows = found.rows.map((sum, step) => sum + (request?.rows[step] ?? 0));
  }
  for (const id of failed) if (byId.get(id)?.status === 'failed') found.failed++;
  expect(found).toEqual({
    succeeded: succeeded.length,
    rows: [rows, rows, rows],
    failed: failed.length,
  });
  const others = history.length - succeeded.length - failed.length;
  expect(others).toBeLessThanOrEqual(unanswered);
}

/** Totals of the history. They count a request once even if the history had it twice. */
async function totalsOf(warehouse: QueryTarget): Promise<Totals> {
  const [row] = await warehouse.query<Record<string, number>>(
    `SELECT countIf(status NOT IN ('succeeded', 'failed')) AS in_flight,
       countIf(status = 'succeeded') AS succeeded, countIf(status = 'failed') AS failed,
       sum(validated) AS validated, sum(stored) AS stored, sum(read_back) AS read_back
     FROM (
       SELECT request_id, argMax(status, precedence) AS status,
         argMax(rows_validated, precedence) AS validated, argMax(rows_stored, precedence) AS stored,
         argMax(rows_read_back, precedence) AS read_back
       FROM request_transitions GROUP BY request_id
     )`,
  );
  const of = (name: string): number => row?.[name] ?? 0;
  return {
    inFlight: of('in_flight'),
    succeeded: of('succeeded'),
    failed: of('failed'),
    rows: { validated: of('validated'), stored: of('stored'), readBack: of('read_back') },
  };
}

async function gaugesOf(service: ServiceProcess): Promise<Totals> {
  const text = await service.metrics();
  const sum = (metric: string, label: string): number =>
    [...text.matchAll(new RegExp(`^${metric}\\{[^}]*="${label}"\\} (\\S+)$`, 'gm'))].reduce(
      (all, [, value]) => all + Number(value),
      0,
    );
  const requests = (status: string): number => sum('custom_data_requests', status);
  const rows = (step: string): number => sum('custom_data_request_rows', step);
  return {
    inFlight: requests('uploaded') + requests('validated') + requests('ingested'),
    succeeded: requests('succeeded'),
    failed: requests('failed'),
    rows: { validated: rows('validated'), stored: rows('stored'), readBack: rows('read_back') },
  };
}
