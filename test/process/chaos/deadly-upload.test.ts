import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { ApiClient } from '../../support/service/api-client.js';
import { clientOf } from '../../support/service/client-of.js';
import { Cluster } from '../../support/service/cluster.js';
import { expectViewsToEqual } from '../../support/model/compare-views.js';
import { expectInvariants } from '../../support/service/invariants.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { killedBy } from '../../support/service/preloads/preload.js';
import type { ServiceProcess } from '../../support/service/service-process.js';
import {
  COST,
  csvOf,
  type CsvRow,
  SELF_SERVE,
  WarehouseModel,
} from '../../support/model/warehouse-model.js';

/** An upload that kills every process that handles it, and what operators do about it. */

const TOOL = fileURLToPath(new URL('../../../bin/custom-data.mjs', import.meta.url));
const MARKER = 'deadly';
const INNOCENT = 6;
const DEATHS = 3;
const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

describeWithBroker('on Kafka and ClickHouse', () => {
  const model = new WarehouseModel();
  const succeeded: string[] = [];
  let cluster: Cluster;
  let gateway: ServiceProcess;
  let status: ServiceProcess;
  let ingest: ServiceProcess;
  let client: ApiClient;

  beforeAll(async () => {
    cluster = await Cluster.open();
    [gateway, status, ingest] = await Promise.all([
      cluster.start('gateway'),
      cluster.start('status'),
      cluster.start('ingest', killedBy(MARKER)),
    ]);
    client = await clientOf('acme', cluster.sharedDir, () => gateway);
  });
  afterAll(() => cluster.close());

  /** Runs the tool as an operator does and returns its output. */
  async function customData(...args: string[]): Promise<string> {
    const env = {
      PATH: process.env['PATH'],
      KAFKA_BROKERS: cluster.broker.address,
      ...cluster.clickhouse.env,
    };
    return (await promisify(execFile)(process.execPath, [TOOL, ...args], { env })).stdout;
  }

  function row(campaign: string, cost: number): CsvRow {
    const metrics = { impressions: '1', clicks: '1', cost: String(cost) };
    return { date: YESTERDAY, channel: 'news', currency: 'EUR', campaign, ...metrics };
  }

  async function accept(...rows: readonly CsvRow[]): Promise<string> {
    return (await client.create('cost', csvOf(COST, rows))).requestId;
  }

  /** Restarts ingest whenever it is killed, and returns how often that was. */
  async function supervise(done: AbortSignal): Promise<number> {
    let deaths = 0;
    while (!done.aborted) {
      await sleep(100);
      if (ingest.process.signalCode === null) continue;
      expect(ingest.process.signalCode).toBe('SIGKILL');
      deaths++;
      ingest = await cluster.restart(ingest, 'ingest', killedBy(MARKER));
    }
    return deaths;
  }

  test('an upload that ends its process three times is set aside, and the ones beside it succeed', async () => {
    const done = new AbortController();
    const supervisor = supervise(done.signal);
    // The test awaits it later and gets the error then.
    supervisor.catch(() => undefined);

    const innocent: string[] = [];
    const send = async (from: number): Promise<void> => {
      for (let i = from; i < from + INNOCENT / 2; i++) {
        const rows = [row(`innocent ${i}`, i), row('all', i)];
        innocent.push(await accept(...rows));
        model.apply('acme', COST, rows);
      }
    };
    await send(0);
    const deadlyRows = [row(MARKER, 7), row('all', 70)];
    const deadly = await accept(...deadlyRows);
    model.apply('acme', COST, deadlyRows);
    await send(INNOCENT / 2);

    const refused = await client.finished('cost', deadly);
    expect(refused).toMatchObject({ status: 'failed', prevStatus: 'uploaded' });
    expect(Object.keys(JSON.parse(refused.reason!) as object)).toEqual(['file']);
    for (const requestId of innocent) {
      expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
    }
    done.abort();
    expect(await supervisor).toBe(DEATHS);
    expect(await customData('dead-letter', 'list')).toMatch(
      new RegExp(`${deadly} +acme +cost .*ended the process ${DEATHS} times +-`),
    );
    const stored = "SELECT campaign FROM cost_rows WHERE account = 'acme'";
    expect(await cluster.query(stored)).not.toContainEqual({ campaign: MARKER });

    // The cause of the kills is repaired, and the upload returns to its old place.
    await ingest.stop();
    ingest = await cluster.restart(ingest, 'ingest');
    const retried = (await customData('dead-letter', 'retry', deadly)).trim();
    expect(await client.finished('cost', retried)).toMatchObject({
      status: 'succeeded',
      prevStatus: 'ingested',
      reason: null,
    });
    expect(await client.finished('cost', deadly)).toEqual(refused);
    expect(await customData('dead-letter', 'list')).toMatch(new RegExp(`${deadly} .* ${retried}`));
    await expect(customData('dead-letter', 'retry', deadly)).rejects.toThrow(/already/);
    await expectViewsToEqual(cluster, model, 'acme');
    succeeded.push(...innocent, retried);
    await expectInvariants(status, cluster, {
      account: 'acme',
      succeeded,
      failed: [deadly],
      rows: model.rowsApplied('acme'),
    });
  });

  test('an archived metric leaves the report and comes back', async () => {
    const names = ['Signups', 'Orders'];
    const rows = names.map((name) => ({
      date: YESTERDAY,
      channel: 'news',
      event_category: name,
      event_value: '5',
    }));
    expect(await client.upload('self-serve', csvOf(SELF_SERVE, rows))).toMatchObject({
      status: 'succeeded',
    });
    model.apply('acme', SELF_SERVE, rows);
    const shown = async (): Promise<string[]> => {
      const found = await cluster.query<{ event_category: string }>(
        "SELECT event_category FROM self_serve_report WHERE account = 'acme' ORDER BY 1",
      );
      return found.map(({ event_category }) => event_category);
    };
    const untilShown = async (expected: readonly string[]): Promise<void> => {
      const until = Date.now() + 60_000;
      while ((await shown()).length !== expected.length && Date.now() < until) await sleep(50);
      expect(await shown()).toEqual(expected);
    };
    await untilShown(['Orders', 'Signups']);

    await customData('metrics', 'archive', 'Signups', '--account', 'acme');
    await untilShown(['Orders']);
    const listed = await customData('metrics', 'list', '--account', 'acme');
    expect(listed).toMatch(/acme +Orders .* -\s/);
    expect(listed).toMatch(/acme +Signups .* yes\s/);

    await customData('metrics', 'restore', 'Signups', '--account', 'acme');
    await untilShown(['Orders', 'Signups']);
    expect(await customData('metrics', 'list')).not.toContain('yes');
    await expectViewsToEqual(cluster, model, 'acme');
  });
});
