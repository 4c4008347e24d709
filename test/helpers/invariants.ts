import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@jest/globals';

import type { ServiceProcess } from './service-process.js';

/** The gauges are measured at most every ten seconds, and the history is a little behind. */
const SETTLE_MS = 60_000;

/**
 * Waits until no request is in flight by the metrics, and checks the service's invariants:
 * accepted = succeeded + failed, and rows validated = stored = read back.
 */
export async function expectInvariants(
  service: ServiceProcess,
  expected: { readonly succeeded: number; readonly failed: number },
): Promise<void> {
  const until = Date.now() + SETTLE_MS;
  let gauges = await gaugesOf(service);
  while (Date.now() < until && (gauges.inFlight > 0 || gauges.succeeded < expected.succeeded)) {
    await sleep(500);
    gauges = await gaugesOf(service);
  }
  // A create without an answer may have been accepted as well: there may be more, never less.
  expect(gauges.inFlight).toBe(0);
  expect(gauges.succeeded).toBeGreaterThanOrEqual(expected.succeeded);
  expect(gauges.failed).toBeGreaterThanOrEqual(expected.failed);
  expect(gauges.rows.validated).toBeGreaterThan(0);
  expect(gauges.rows.stored).toBe(gauges.rows.validated);
  expect(gauges.rows.read_back).toBe(gauges.rows.validated);
}

async function gaugesOf(service: ServiceProcess): Promise<{
  inFlight: number;
  succeeded: number;
  failed: number;
  rows: { validated: number; stored: number; read_back: number };
}> {
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
    rows: { validated: rows('validated'), stored: rows('stored'), read_back: rows('read_back') },
  };
}
