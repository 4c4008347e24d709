import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { ServiceWithSamples } from '../../support/files/samples.js';
import {
  choicesOf,
  interpolate,
  isAskedFor,
  openedOn,
  readReport,
  sqlOf,
  type Variable,
} from '../../support/documents/report-dashboard.js';

/** Runs the reports' queries against the built service as Grafana would send them. */

const DAY_MS = 86_400_000;
const reports = ['actuals', 'trends'].map(readReport);
const quality = readReport('quality');
const variablesOf = (name: string): Variable[] =>
  reports.flatMap(({ templating }) => templating.list.filter((each) => each.name === name));

type Cells = Readonly<Record<string, string | number | null>>;

let samples: ServiceWithSamples;
beforeAll(async () => {
  samples = await ServiceWithSamples.start();
});
afterAll(() => samples.close());

/** Returns the variables of a dashboard that is opened on the samples. */
function opened(changed: Readonly<Record<string, string>> = {}): Record<string, string> {
  const now = Date.now();
  return { ...openedOn('acme', now - 30 * DAY_MS, now), ...changed };
}

async function ask(sql: string): Promise<Cells[]> {
  const rows = await samples.service.query<Cells>(sql);
  return JSON.parse(samples.withDatesOfSamples(JSON.stringify(rows))) as Cells[];
}

/** Returns the rows of a panel. `report` is the dashboard, `id` is the panel in its file. */
function panel(report: 0 | 1, id: number, changed?: Record<string, string>): Promise<Cells[]> {
  const found = reports[report]!.panels.find((each) => each.id === id)!;
  return ask(interpolate(found.targets[0].rawSql, opened(changed)));
}

const panels = reports.flatMap(({ title, panels: all }) =>
  all.map((each) => [title, each.title, each.targets[0]] as const),
);

describe.each(panels)('%s: %s', (_report, _panel, target) => {
  test('shows something of the samples, by currency', async () => {
    const rows = await ask(interpolate(target.rawSql, opened()));
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(Object.keys(row)).toContain('currency');
    // A graph uses its first column as time.
    expect(Object.keys(rows[0]!)[0] === 'time').toBe(target.format === 0);
  });

  test('can be asked for every metric, group-by column and interval', async () => {
    const metrics = await ask(interpolate(sqlOf(variablesOf('metric')[0]!), opened()));
    const choices = choicesOf(
      reports,
      metrics.map(({ value }) => String(value)),
    );
    expect(choices.length).toBeGreaterThan(25);
    for (const choice of choices) {
      if (!isAskedFor(choice, target.rawSql)) continue;
      const rows = await ask(interpolate(target.rawSql, opened(choice)));
      expect([choice, rows.length]).toEqual([choice, expect.any(Number)]);
      expect(rows.length).toBeGreaterThan(0);
    }
  });
});

describe('the variables', () => {
  test('accounts are those that have uploaded', async () => {
    for (const variable of variablesOf('account')) {
      expect(await ask(interpolate(sqlOf(variable), opened()))).toEqual([{ account: 'acme' }]);
    }
  });

  test('self-serve metrics stand in a group of their own, without the archived', async () => {
    for (const variable of variablesOf('metric')) {
      const metrics = await ask(interpolate(sqlOf(variable), opened()));
      expect(metrics.map(({ text }) => text)).toEqual([
        'cost / clicks',
        'cost / cost',
        'cost / cost per click',
        'cost / cost per thousand impressions',
        'cost / impressions',
        'self-serve / CallCenterOrders',
        'self-serve / StoreVisits',
      ]);
      expect(metrics.at(-1)!['value']).toBe('self-serve/StoreVisits');
    }
  });

  test('every group-by column of the views can be chosen', async () => {
    const columns = await samples.service.query<{ name: string }>(
      `SELECT DISTINCT name FROM system.columns WHERE database = 'custom_data'
       AND table IN ('cost_report', 'self_serve_report') AND name NOT IN
       ('account', 'date', 'currency', 'event_category', 'event_value', 'impressions', 'clicks', 'cost')`,
    );
    for (const variable of variablesOf('groupBy')) {
      const values = sqlOf(variable)
        .split(',')
        .filter((value) => value !== 'date');
      expect(values.sort()).toEqual(columns.map(({ name }) => name).sort());
    }
  });
});

describe('the reports', () => {
  test('actuals: a metric by channel and currency', async () => {
    expect(await panel(0, 2)).toEqual([
      { group_value: 'Radio', currency: 'EUR', value: 840 },
      { group_value: 'newsletter', currency: 'EUR', value: 566.25 },
      { group_value: 'Newsletter', currency: 'EUR', value: 6.4 },
      { group_value: 'newsletter', currency: 'USD', value: 205 },
    ]);
    expect(await panel(0, 2, { metric: 'cost_per_click', groupBy: 'campaign' })).toEqual([
      { group_value: 'Autumn launch', currency: 'EUR', value: 0.466 },
      { group_value: 'Spring sale', currency: 'EUR', value: 0.464 },
      { group_value: 'Brand', currency: 'EUR', value: null },
      { group_value: 'Spring sale US', currency: 'USD', value: 0.5 },
    ]);
    expect(await panel(0, 1, { metric: 'self-serve/StoreVisits' })).toEqual([
      { currency: '', value: 670 },
    ]);
  });

  test('trends: a metric by week, and against the days before', async () => {
    const weekly = { metric: 'self-serve/StoreVisits', groupBy: 'event_source', interval: 'week' };
    expect(await panel(1, 2, weekly)).toEqual([
      { time: '2026-02-23 00:00:00', group_value: 'web', currency: '', value: 215 },
      { time: '2026-03-02 00:00:00', group_value: '', currency: '', value: 60 },
      { time: '2026-03-02 00:00:00', group_value: 'app', currency: '', value: 25 },
      { time: '2026-03-02 00:00:00', group_value: 'web', currency: '', value: 370 },
    ]);
    const twoDays = {
      __from: String(Date.parse('2026-03-04') + samples.shiftMs),
      __to: String(Date.parse('2026-03-05T12:00:00Z') + samples.shiftMs),
      channel: 'newsletter',
    };
    expect(await panel(1, 3, twoDays)).toEqual([
      {
        group_value: 'newsletter',
        currency: 'EUR',
        before: 405,
        value: 161.25,
        change_percent: -60.2,
      },
      { group_value: 'newsletter', currency: 'USD', before: 205, value: 0, change_percent: -100 },
    ]);
  });

  test('nothing of an archived metric is shown', async () => {
    expect(await panel(0, 2, { metric: 'self-serve/OldScore' })).toEqual([]);
    const all = await panel(0, 4);
    expect(new Set(all.map(({ metric }) => metric))).toEqual(
      new Set(['CallCenterOrders', 'StoreVisits']),
    );
  });

  test('a campaign that no list knows can be typed into the filter', async () => {
    expect(await panel(0, 2, { campaign: 'Autumn launch' })).toEqual([
      { group_value: 'newsletter', currency: 'EUR', value: 41 },
    ]);
    expect(await panel(0, 2, { campaign: 'autumn launch' })).toEqual([]);
  });
});

describe('data quality and usage', () => {
  const shown = (id: number, changed?: Record<string, string>): Promise<Cells[]> => {
    const found = quality.panels.find((each) => each.id === id)!;
    return ask(interpolate(found.targets[0].rawSql, opened(changed)));
  };

  test('every panel shows something of the account, and nothing of another', async () => {
    for (const { id, targets } of quality.panels) {
      const rows = await shown(id);
      expect([id, rows.length]).not.toEqual([id, 0]);
      // A graph uses its first column as time.
      expect(Object.keys(rows[0]!)[0] === 'time').toBe(targets[0].format === 0);
      for (const account of ['other', "\\' OR 1 = 1 --"]) {
        expect([id, await shown(id, { account })]).toEqual([id, []]);
      }
    }
  });

  test('the account is one that has uploaded', async () => {
    const [variable] = quality.templating.list;
    expect(await ask(interpolate(sqlOf(variable!), opened()))).toEqual([{ account: 'acme' }]);
  });

  test('shows each channel with its days', async () => {
    const days = ({ family, channel, first_date, last_date }: Cells): unknown[] => {
      return [family, channel, first_date, last_date];
    };
    expect((await shown(1)).map(days)).toEqual([
      ['cost', 'Radio', '2026-03-02', '2026-03-03'],
      ['cost', 'Newsletter', '2026-03-04', '2026-03-04'],
      ['self-serve', 'Radio', '2026-03-03', '2026-03-04'],
      ['self-serve', 'newsletter', '2026-02-24', '2026-03-04'],
      ['cost', 'newsletter', '2026-03-02', '2026-03-05'],
    ]);
  });

  test('shows the spellings of a value below each other', async () => {
    expect(await shown(2)).toEqual([
      { column: 'channel', value: 'newsletter', rows: 11, last_date: '2026-03-05' },
      { column: 'channel', value: 'Newsletter', rows: 1, last_date: '2026-03-04' },
    ]);
  });

  test('shows uploads by state, columns that failed, rows and bytes', async () => {
    const sums = (rows: readonly Cells[], label: string): Record<string, number> => {
      const found: Record<string, number> = {};
      // Uploads of one test may be of two days.
      for (const row of rows) {
        found[String(row[label])] = (found[String(row[label])] ?? 0) + Number(row['value']);
      }
      return found;
    };
    expect(sums(await shown(3), 'state')).toEqual({ succeeded: 3, failed: 1, 'in progress': 0 });
    expect(await shown(4)).toEqual([{ family: 'cost', column: 'currency', failed_uploads: 1 }]);
    expect(sums(await shown(5), 'family')).toEqual({ cost: 12, 'self-serve': 10 });
    expect(sums(await shown(6), 'family')).toEqual({ cost: 885, 'self-serve': 551 });
  });
});

describe('a value typed into a filter', () => {
  // Each of these ends a string if its quotes are only doubled or only escaped.
  const HOSTILE = [
    "' OR 1 = 1 --",
    "\\' OR 1 = 1 --",
    "\\\\' OR 1 = 1 --",
    "\\'' OR 1 = 1 --",
    '\\',
    '"; DROP TABLE cost; --',
    '%27 OR 1 = 1 --',
    '$$ OR 1 = 1 --',
    "') OR 1 = 1 --",
    '${account}',
  ];

  async function expectNothing(sql: string, name: string, value: string): Promise<void> {
    const rows = await ask(interpolate(sql, opened({ [name]: value })));
    expect([name, rows]).toEqual([name, []]);
  }

  test.each(HOSTILE)('%s finds nothing', async (value) => {
    for (const { panels: all } of reports) {
      await expectNothing(all[0]!.targets[0].rawSql, 'campaign', value);
    }
  });

  test.each(['account', 'channel', 'campaign', 'ad_group', 'country', 'os_name'])(
    'that ends the string finds nothing in any panel as %s',
    async (name) => {
      for (const [, , { rawSql }] of panels) {
        await expectNothing(rawSql, name, "\\' OR 1 = 1 --");
      }
    },
  );

  test('is found as it was uploaded, whatever is in it', async () => {
    const written = interpolate("SELECT decodeURLComponent('${v:percentencode}') AS v", {
      v: 'Straße 50% + \\\'"`${x}\n\t€ !*()~',
    });
    expect(await samples.service.query(written)).toEqual([
      { v: 'Straße 50% + \\\'"`${x}\n\t€ !*()~' },
    ]);
  });

  test("would leave the string with Grafana's formats for SQL, which is why none is used", async () => {
    const loose = (format: string) => `SELECT 1 AS x WHERE 'acme' = \${v:${format}}`;
    const through = async (format: string): Promise<boolean> => {
      const sql = interpolate(loose(format), { v: "\\' OR 1 = 1 --" });
      return (await samples.service.query(sql)).length > 0;
    };
    expect(await through('sqlstring')).toBe(true);
    expect(await through('singlequote')).toBe(true);
  });

  test.each(['groupBy', 'interval'])('%s from an address is a name or an error', async (name) => {
    const using = panels.filter(([, , target]) => target.rawSql.includes(`\${${name}:`));
    expect(using.length).toBeGreaterThan(0);
    for (const value of ["day', date) --", 'channel" FROM cost --', 'cost_report.account`']) {
      for (const [, , target] of using) {
        await expect(ask(interpolate(target.rawSql, opened({ [name]: value })))).rejects.toThrow(
          /UNKNOWN_IDENTIFIER|BAD_ARGUMENTS/,
        );
      }
    }
  });
});

test('a currency and a metric are shown however many groups others have', async () => {
  const campaigns = Array.from({ length: 1_100 }, (_, i) => `campaign ${i}`);
  const cost = (currency: string, campaign: string): string =>
    `2020-01-01,many,${currency},${campaign},1,1,5\n`;
  const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
  const visits = (metric: string, campaign: string): string =>
    `${yesterday},many,${campaign},${metric},5\n`;
  const files = {
    cost: `date,channel,currency,campaign,impressions,clicks,cost\n${campaigns.map((name) => cost('EUR', name)).join('')}${cost('USD', 'one')}`,
    'self-serve': `date,channel,campaign,event_category,event_value\n${campaigns.map((name) => visits('Many', name)).join('')}${visits('One', 'one')}`,
  };
  for (const family of ['cost', 'self-serve'] as const) {
    expect(await samples.client.upload(family, files[family])).toMatchObject({
      status: 'succeeded',
    });
  }
  const then = String(Date.parse('2020-01-01'));
  const many = { channel: 'many', groupBy: 'campaign' };
  const groups = async (report: 0 | 1, id: number, of: string, changed = {}): Promise<object> => {
    const counts: Record<string, number> = {};
    for (const row of await panel(report, id, { ...many, ...changed })) {
      const value = String(row[of]);
      counts[value] = (counts[value] ?? 0) + 1;
    }
    return counts;
  };
  const day = { metric: 'cost', __from: then, __to: then };
  expect(await groups(0, 2, 'currency', day)).toEqual({ EUR: 1_000, USD: 1 });
  expect(await groups(0, 3, 'currency', day)).toEqual({ EUR: 1_000, USD: 1 });
  expect(await groups(1, 3, 'currency', day)).toEqual({ EUR: 1_000, USD: 1 });
  expect(await groups(0, 4, 'metric')).toEqual({ Many: 1_000, One: 1 });
});

test('trends: the 20 dearest have a line, however many days the others have', async () => {
  const days = ['2019-01-01', '2019-01-02', '2019-01-03'];
  const row = (day: string, campaign: string, clicks: number, cost: number): string =>
    `${day},ratios,EUR,${campaign},${1000 * clicks},${clicks},${cost}\n`;
  const cheap = Array.from({ length: 20 }, (_, i) => `cheap ${10 + i}`);
  const rows = [
    ...cheap.flatMap((name) => days.map((day) => row(day, name, 10, 10))),
    row(days[0]!, 'dear', 10, 20),
    row(days[0]!, 'without clicks', 0, 1000),
  ];
  const file = `date,channel,currency,campaign,impressions,clicks,cost\n${rows.join('')}`;
  expect(await samples.client.upload('cost', file)).toMatchObject({ status: 'succeeded' });
  const lines = async (metric: string): Promise<unknown[]> => {
    const chosen = { channel: 'ratios', groupBy: 'campaign', metric };
    const __from = String(Date.parse(days[0]!));
    const found = await panel(1, 2, { ...chosen, __from, __to: String(Date.parse(days[2]!)) });
    return [...new Set(found.map(({ group_value }) => group_value))].sort();
  };
  for (const metric of ['cost_per_click', 'cost_per_thousand_impressions']) {
    expect([metric, await lines(metric)]).toEqual([metric, [...cheap.slice(0, 19), 'dear']]);
  }
  expect(await lines('cost')).toEqual([...cheap.slice(0, 19), 'without clicks']);
});
