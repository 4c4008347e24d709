import { readdirSync, readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

import { type Panel, readDashboard } from '../../support/documents/dashboard.js';

const { panels, title } = readDashboard();
const GRAFANA = new URL('../../../deploy/grafana/', import.meta.url);

test('panels have ids and titles of their own', () => {
  expect(panels.length).toBeGreaterThan(20);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const graphs = panels.filter(({ type }) => type === 'timeseries').map((panel) => panel.title);
  expect(new Set(graphs).size).toBe(graphs.length);
});

test('panels stand beside each other, within the width', () => {
  const overlap = (a: Panel['gridPos'], b: Panel['gridPos']): boolean =>
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
  for (const { gridPos } of panels) {
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    expect(panels.filter((other) => overlap(gridPos, other.gridPos)).length).toBe(1);
  }
});

test('everything is asked of a data source that Grafana is given', () => {
  const provisioned = readFileSync(
    new URL('provisioning/datasources/prometheus.yml', GRAFANA),
    'utf8',
  );
  for (const { type, datasource, targets } of panels) {
    if (type === 'row') continue;
    expect(targets?.length).toBeGreaterThan(0);
    expect(new Set(targets!.map(({ refId }) => refId)).size).toBe(targets!.length);
    for (const each of [datasource, ...targets!.map((target) => target.datasource)]) {
      expect(each?.type).toBe('prometheus');
      expect(provisioned).toContain(`uid: ${each!.uid}\n`);
    }
  }
});

test('alerts of other services in the same Prometheus are not counted', () => {
  const rules = new URL('../prometheus/rules/', GRAFANA);
  const alerts = readdirSync(rules).flatMap((file) =>
    [...readFileSync(new URL(file, rules), 'utf8').matchAll(/- alert: (\w+)/g)].map(
      ([, name]) => name,
    ),
  );
  const dashboard = readFileSync(new URL('dashboards/operations.json', GRAFANA), 'utf8');
  const asked = [...dashboard.matchAll(/ALERTS\{([^}]*)\}/g)].map(([, selector]) => selector);
  const selector = `alertstate=\\"firing\\", alertname=~\\"${alerts.join('|')}\\"`;
  expect(asked).toEqual([selector, selector]);
});

test('Grafana looks for the dashboard where the compose file puts it', () => {
  const provider = readFileSync(new URL('provisioning/dashboards/dashboards.yml', GRAFANA), 'utf8');
  const [, path] = /path: (\S+)/.exec(provider)!;
  const compose = readFileSync(new URL('../../docker-compose.yml', GRAFANA), 'utf8');
  expect(compose).toContain(`./deploy/grafana/dashboards:${path!}:ro`);
});

test('the operations page names it', () => {
  const page = readFileSync(new URL('../../docs/operations.md', GRAFANA), 'utf8');
  expect(page).toContain(`"${title}"`);
});
