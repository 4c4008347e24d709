import type { Bench } from './benchmark.js';
import type { Contest } from './full-load.js';
import { FIRST_DAY } from './load/cost-files.js';
import { spreadOf } from './measure.js';
import { atLeast, type Figure, valueFigure } from './report/figure.js';
import { ACCOUNT, Service } from './service/service.js';
import { type StoredRows, storedRows } from './service/stored-rows.js';
import { serviceThroughput } from './service/throughput.js';

const READS = 5;
const MONTH = `account = '${ACCOUNT}' AND date BETWEEN '${FIRST_DAY}' AND toDate('${FIRST_DAY}') + 30`;
const NUMBERS = 'sum(impressions) AS impressions, sum(clicks) AS clicks, sum(cost) AS cost';

/** Whether stored rows slow down new ones: a warehouse with rows, compared with an empty one. */
export async function b8(bench: Bench): Promise<Contest> {
  const stored = await storedRows(bench);
  const options = { rowsPerKey: 1, stored: stored.folder, before: stored.totals };
  return {
    contestants: { full: () => serviceThroughput(bench, options) },
    matches: [
      {
        name: `B8 with ${stored.rows} rows stored, against none`,
        goal: atLeast(0.8),
        of: 'full',
        with: 'ours',
        beside: 'empty',
      },
    ],
    more: () => startAndMonth(stored),
  };
}

async function startAndMonth({ folder, rows }: StoredRows): Promise<readonly Figure[]> {
  const service = await Service.start({ stored: folder });
  try {
    const took = async (sql: string): Promise<number> => {
      const times: number[] = [];
      for (let read = 0; read < READS; read++) {
        const from = performance.now();
        const found = await service.query(sql);
        times.push(performance.now() - from);
        if (found.length === 0) throw new Error(`no rows: ${sql}`);
      }
      return spreadOf(times).median;
    };
    const shown = (name: string, value: number): Figure =>
      valueFigure({ name: `B8 with ${rows} rows: ${name}`, unit: 'ms', values: [value] });
    const days = `SELECT date, channel, currency, ${NUMBERS} FROM cost_summary WHERE ${MONTH} GROUP BY ALL`;
    const groups = `SELECT ad_group, currency, ${NUMBERS} FROM cost_report WHERE ${MONTH} GROUP BY ALL`;
    return [
      shown('the start of the service', service.startMs),
      shown("an account's month by day, channel and currency", await took(days)),
      shown("an account's month by ad_group", await took(groups)),
    ];
  } finally {
    await service.kill();
  }
}
