import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';

import { readDashboard } from '../../support/documents/dashboard.js';
import { readReport, sqlOf } from '../../support/documents/report-dashboard.js';

const GRAFANA = new URL('../../../deploy/grafana/', import.meta.url);

const NAMES = ['actuals', 'trends', 'quality'];

describe.each(NAMES)('the dashboard %s', (name) => {
  const report = readReport(name);
  const variables = report.templating.list;

  test('has an id of its own, and so have its panels', () => {
    const others = [readDashboard(), ...NAMES.map(readReport)];
    expect(others.filter(({ uid }) => uid === report.uid)).toHaveLength(1);
    expect(new Set(report.panels.map(({ id }) => id)).size).toBe(report.panels.length);
  });

  test('has the variable account, and without metrics no other', () => {
    const [first, ...others] = variables;
    expect(first!.name).toBe('account');
    expect(others.length > 0).toBe(name !== 'quality');
  });

  test('has its panels one below the other', () => {
    let below = 0;
    for (const { gridPos } of report.panels) {
      expect([gridPos.x, gridPos.y, gridPos.w]).toEqual([0, below, 24]);
      below += gridPos.h;
    }
  });

  test('asks the data source that Grafana is given', () => {
    const provisioned = readFileSync(
      new URL('provisioning/datasources/clickhouse.yml', GRAFANA),
      'utf8',
    );
    const asked = [
      ...report.panels.flatMap(({ datasource, targets }) => [datasource, targets[0].datasource]),
      ...variables.filter(({ type }) => type === 'query').map(({ datasource }) => datasource),
    ];
    for (const each of asked) {
      expect(each).toEqual({ type: 'grafana-clickhouse-datasource', uid: 'clickhouse' });
    }
    expect(provisioned).toContain('type: grafana-clickhouse-datasource\n');
    expect(provisioned).toContain('uid: clickhouse\n');
  });

  test('writes what a person chooses or types in one form alone, which nothing can leave', () => {
    const names = new Set(variables.map((variable) => variable.name));
    const queries = [
      ...report.panels.map(({ targets }) => targets[0].rawSql),
      ...variables.filter(({ type }) => type === 'query').map(sqlOf),
    ];
    for (const sql of queries) {
      // Times are numbers. Everything else is percent-encoded, in a string or a quoted name.
      const rest = sql
        .replace(/\$\{__(?:from|to)\}/g, '')
        .replace(/'\$\{(\w+):percentencode\}'|"\$\{(\w+):percentencode\}"/g, (_, a, b) => {
          expect(names).toContain(a ?? b);
          return '';
        });
      expect(rest).not.toContain('$');
    }
  });

  test("is named on the analysts' page", () => {
    const page = readFileSync(new URL('../../docs/analysts.md', GRAFANA), 'utf8');
    expect(page).toContain(`"${report.title}"`);
  });
});

test.each(['actuals', 'trends'])('the dashboard %s has filters to type into', (name) => {
  const typed = readReport(name).templating.list.filter(({ type }) => type === 'textbox');
  expect(typed.map((each) => each.name)).toEqual([
    'channel',
    'campaign',
    'ad_group',
    'country',
    'os_name',
  ]);
});

test('Grafana installs the plugin of the data source without waiting for it', () => {
  const compose = readFileSync(new URL('../../docker-compose.yml', GRAFANA), 'utf8');
  expect(compose).toMatch(/GF_PLUGINS_PREINSTALL: grafana-clickhouse-datasource@\d+\.\d+\.\d+\n/);
});
