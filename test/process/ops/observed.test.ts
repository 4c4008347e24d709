import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { readDashboard } from '../../support/documents/dashboard.js';
import { Page } from '../../support/documents/page.js';
import { ApiClient } from '../../support/service/api-client.js';
import {
  describeWithPrometheus,
  Prometheus,
  promtool,
  type Rule,
} from '../../support/documents/prometheus.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';
import { COST, csvOf } from '../../support/model/warehouse-model.js';
import { until } from '../../support/until.js';

/** The history is measured every ten seconds, so the load has to last longer. */
const LOAD_MS = 13_000;
const PAUSE_MS = 1_500;
/** The uploads of a round, once the history has them. */
const ENDED = "SELECT 1 FROM upload_requests WHERE status IN ('succeeded', 'failed')";
const MEASURED = 'sum(custom_data_objective_uploads{objective="visible_in_10s",window="1h"})';

describeWithPrometheus('a service under load, seen by Prometheus', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let prometheus: Prometheus;
  let metrics: string;
  let rules: readonly Rule[];
  /** How often some files were uploaded: once before Prometheus was there. */
  let rounds = 1;

  beforeAll(async () => {
    dataDir = await makeMigratedDir();
    const token = await tokenFor(dataDir, 'acme');
    service = await ServiceProcess.start(dataDir);
    const client = new ApiClient(() => service.ports.api, token);
    await uploadSome(client, 0);
    // The first scrape counts them for the objectives. The next count is a minute later.
    await until(async () => (await service.query(ENDED)).length >= 3, 50);
    prometheus = await Prometheus.start(`127.0.0.1:${service.ports.ops}`);
    await shown(`${MEASURED} == 3`);
    for (const until = Date.now() + LOAD_MS; Date.now() < until; rounds++) {
      await uploadSome(client, rounds);
      await sleep(PAUSE_MS);
    }
    metrics = await service.metrics();
    rules = await prometheus.rules();
  });

  afterAll(async () => {
    await prometheus.stop();
    await service.kill();
    await removeDataDir(dataDir);
  });

  /** Waits until the expression has a value. */
  async function shown(expression: string): Promise<void> {
    for (const until = Date.now() + 180_000; (await prometheus.query(expression)).length === 0;) {
      if (Date.now() > until) throw new Error(`nothing in time: ${expression}`);
      await sleep(500);
    }
  }

  it('names its metrics as Prometheus wants them', () => {
    expect(promtool(['check', 'metrics'], metrics)).toEqual({ code: 0, output: '' });
  });

  it('has every metric that rules and the dashboard ask for', () => {
    const recorded = rules.map(({ name }) => name);
    const known = new Set([
      ...recorded,
      ...[...metrics.matchAll(/^# TYPE (\S+) histogram$/gm)].flatMap(([, name]) =>
        ['bucket', 'sum', 'count'].map((suffix) => `${name!}_${suffix}`),
      ),
      ...[...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!),
    ]);
    for (const expression of [
      ...rules.map(({ query }) => query),
      ...curves().map(({ expression }) => expression),
    ]) {
      const asked =
        expression.match(/\b(?:\w+:)?(?:custom_data|nodejs|process)_\w+(?::\w+)?/g) ?? [];
      for (const name of asked) expect([...known]).toContain(name);
    }
  });

  it('has no rule that cannot be evaluated', async () => {
    expect(rules.length).toBeGreaterThan(20);
    for (const rule of rules) {
      expect(rule).toMatchObject({ health: 'ok' });
      await prometheus.query(rule.query);
    }
  });

  it('has a number for every expression of the dashboard, with the labels of its legend', async () => {
    for (const { expression, legend } of curves()) {
      const samples = await prometheus.query(expression);
      const values = samples.map(({ value: [, value] }) => value);
      expect({ expression, values }).toEqual({
        expression,
        values: expect.arrayContaining([expect.stringMatching(/^-?\d/)]),
      });
      for (const [, label] of legend.matchAll(/\{\{(\w+)\}\}/g)) {
        const lacking = samples.filter(({ metric }) => metric[label!] === undefined);
        expect({ expression, label, lacking }).toEqual({ expression, label, lacking: [] });
      }
    }
  });

  it('answers the questions that the page asks', async () => {
    const { text } = new Page('operations.md');
    const questions = [...text.matchAll(/`(SELECT [^`]+)`/g)].map(([, sql]) => sql!);
    expect(questions.length).toBeGreaterThan(2);
    for (const sql of questions) await service.query(sql);
  });

  it('shows what was done', async () => {
    const value = async (expression: string): Promise<number> =>
      Number((await prometheus.query(expression))[0]?.value[1]);
    const settled = `sum(custom_data_requests{status=~"succeeded|failed"}) == ${rounds * 3} and on() count(objective_window:custom_data_error_budget_burn:ratio{window="1h"}) == 4 and on() max(custom_data_consumer_lag_records) == 0 and on() max(custom_data_oldest_unfinished_request_age_seconds) == 0`;
    await shown(settled);
    expect(await value('sum(custom_data_requests{status="failed"})')).toBe(rounds);
    expect(await value('sum(custom_data_http_requests_total{operation="create",code="201"})')).toBe(
      rounds * 3,
    );
    expect(
      await value('sum(custom_data_http_request_duration_seconds_count{operation="create"})'),
    ).toBe(rounds * 3);
    expect(await value('sum(custom_data_request_rows{step="read_back"})')).toBe(rounds * 201);
    expect(await value('max(custom_data_consumer_lag_records)')).toBe(0);
    expect(await value('max(custom_data_oldest_unfinished_request_age_seconds)')).toBe(0);
    expect(await value('sum(custom_data_objective_uploads_late{window="1h"})')).toBe(0);
    const burn = 'objective_window:custom_data_error_budget_burn:ratio{window="1h"}';
    const objectives = (await prometheus.query(burn)).map(({ metric }) => metric['objective']);
    expect(objectives.sort()).toEqual(['creates', 'reads', 'visible_in_10m', 'visible_in_10s']);
    expect(await value('custom_data_process_info{roles="gateway,ingest,status"}')).toBe(1);
    expect(await value('instance:custom_data_disk_free:ratio')).toBeLessThan(1);
    const firing = await prometheus.query('ALERTS{alertstate="firing", alertname!~"Disk.*"}');
    expect(firing.map(({ metric }) => metric['alertname'])).toEqual([]);
  });
});

/** The dashboard's expressions, with Grafana's variable filled in. */
function curves(): { expression: string; legend: string }[] {
  return readDashboard().panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      expression: expr.replaceAll('$__rate_interval', '1m'),
      legend: legendFormat,
    })),
  );
}

/** Uploads two valid files and an invalid one, and reads their requests until they have ended. */
async function uploadSome(client: ApiClient, round: number): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const row = (clicks: string, i: number) => ({
    date: '2026-02-03',
    channel: 'news',
    currency: 'EUR',
    campaign: `campaign ${i}`,
    impressions: '1',
    clicks,
    cost: String(round),
  });
  const cost = (clicks: string): string =>
    csvOf(
      COST,
      Array.from({ length: 200 }, (_, i) => row(clicks, i)),
    );
  const selfServe = `date,channel,event_category,event_value\n${today},news,Score,${round}\n`;
  const ended = await Promise.all([
    client.upload('cost', cost('3')),
    client.upload('cost', cost('many')),
    client.upload('self-serve', selfServe),
  ]);
  expect(ended.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded']);
}
