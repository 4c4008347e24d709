import { readFileSync } from 'node:fs';

import type { Panel } from './dashboard.js';

export interface Variable {
  readonly name: string;
  readonly type: 'query' | 'custom' | 'textbox';
  readonly datasource?: { readonly type: string; readonly uid: string };
  /** For type `query`: the query to the data source; otherwise the values, comma-separated. */
  readonly query: string | { readonly rawSql: string };
}

interface SqlTarget {
  readonly datasource: { readonly type: string; readonly uid: string };
  readonly rawSql: string;
  /** 0: a time series, 1: a table. */
  readonly format: number;
}

/** A dashboard that queries ClickHouse. */
export interface ReportDashboard {
  readonly uid: string;
  readonly title: string;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly (Omit<Panel, 'targets'> & { readonly targets: readonly [SqlTarget] })[];
}

export function readReport(name: string): ReportDashboard {
  const file = new URL(`../../../deploy/grafana/dashboards/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as ReportDashboard;
}

/** The variables of a dashboard that is opened on an account, from one time to another in ms. */
export function openedOn(account: string, from: number, to: number): Record<string, string> {
  return {
    account,
    metric: 'cost',
    groupBy: 'channel',
    interval: 'day',
    channel: '',
    campaign: '',
    ad_group: '',
    country: '',
    os_name: '',
    __from: String(from),
    __to: String(to),
  };
}

export function sqlOf({ query }: Variable): string {
  return typeof query === 'string' ? query : query.rawSql;
}

/** How Grafana writes the value of a variable, by the name of the format. */
const FORMATS: Readonly<Record<string, (value: string) => string>> = {
  percentencode: (value) =>
    encodeURIComponent(value).replace(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  sqlstring: (value) => `'${value.replaceAll("'", "''")}'`,
  singlequote: (value) => `'${value.replaceAll("'", "\\'")}'`,
};

/** Replaces the variables of a query, as Grafana does. */
export function interpolate(sql: string, values: Readonly<Record<string, string>>): string {
  return sql.replace(/\$\{(\w+)(?::(\w+))?\}/g, (_, name: string, format?: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`there is no variable ${name}`);
    if (format === undefined) return value;
    const write = FORMATS[format];
    if (write === undefined) throw new Error(`there is no format ${format}`);
    return write(value);
  });
}

/** Each value that a person can choose for a variable of the dashboards, one at a time. */
export function choicesOf(
  reports: readonly ReportDashboard[],
  metrics: readonly string[],
): Record<string, string>[] {
  const valuesOf = (name: string): string[] => {
    const variables = reports.flatMap(({ templating }) => templating.list);
    const values = variables.filter((each) => each.name === name).map((each) => sqlOf(each));
    return [...new Set(values.flatMap((each) => each.split(',')))];
  };
  return [
    ...metrics.map((metric) => ({ metric })),
    ...valuesOf('groupBy').map((groupBy) => ({ groupBy })),
    ...valuesOf('interval').map((interval) => ({ interval })),
  ];
}

/** Whether the query has the variable that is chosen. */
export function isAskedFor(choice: Readonly<Record<string, string>>, sql: string): boolean {
  return Object.keys(choice).every((name) => sql.includes(`\${${name}:`));
}
