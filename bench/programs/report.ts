/** Runs the same query on the views and on a flat table without overwrites, in the same engine. */
import { Session } from 'chdb';

import { chdbFolder } from '../../src/config/data-folder.js';
import { FLAT_COLUMNS } from '../baselines/flat-columns.js';
import { COST_COLUMNS } from '../load/cost-files.js';
import { spreadOf } from '../measure.js';
import { obey } from '../process/commands.js';

/** Reads per measurement. Their median is the measurement. */
const READS = 9;
const FROM = '2026-01-20';
const TO = '2026-02-18';

export type Source = 'cost_summary' | 'cost_report' | 'flat';

let session: Session;

const commands = {
  async open({ dataDir }: { dataDir: string }): Promise<void> {
    session = new Session(chdbFolder(dataDir));
    const columns = COST_COLUMNS.join(', ');
    await session.queryAsync(
      `CREATE TABLE custom_data.flat (account LowCardinality(String), ${FLAT_COLUMNS})
       ENGINE = MergeTree ORDER BY (account, date, channel, campaign)`,
    );
    await session.queryAsync(
      `INSERT INTO custom_data.flat SELECT account, ${columns} FROM custom_data.cost_rows`,
    );
    await session.queryAsync('OPTIMIZE TABLE custom_data.flat FINAL');
  },

  /** Milliseconds that the report takes. */
  async time({ source, account }: { source: Source; account: string }): Promise<number> {
    const took: number[] = [];
    for (let read = 0; read < READS; read++) {
      const from = performance.now();
      await session.queryAsync(report(source, account), { format: 'TSV' });
      took.push(performance.now() - from);
    }
    return spreadOf(took).median;
  },

  async read({ source, account }: { source: Source; account: string }): Promise<string> {
    return (await session.queryAsync(report(source, account), { format: 'TSV' })).text();
  },
};

export type ReportCommands = typeof commands;

/** Thirty days of one account by day, channel and currency. */
function report(source: Source, account: string): string {
  return `SELECT date, channel, currency, sum(impressions), sum(clicks), toInt64(round(sum(cost) * 100))
    FROM custom_data.${source}
    WHERE account = '${account}' AND date BETWEEN '${FROM}' AND '${TO}'
    GROUP BY date, channel, currency
    ORDER BY date, channel, currency`;
}

obey(commands);
