import { cp } from 'node:fs/promises';

import type { Bench } from './benchmark.js';
import { inTurn } from './measure.js';
import { Child } from './process/child.js';
import { makeFolder, removeFolder } from './process/cleanup.js';
import type { ReportCommands, Source } from './programs/report.js';
import { atMost, type Figure, ratioFigure } from './report/figure.js';
import { ACCOUNT } from './service/service.js';
import { storedRows } from './service/stored-rows.js';

/** How long an analyst waits for a report, compared with a table that never had overwrites. */
export async function b9(bench: Bench): Promise<readonly Figure[]> {
  const { folder, rows } = await storedRows(bench);
  const dataDir = await makeFolder();
  await cp(folder, dataDir, { recursive: true });
  const program = Child.start<ReportCommands>('programs/report');
  try {
    await program.call('open', { dataDir });
    const account = ACCOUNT;
    const flatReport = await program.call('read', { source: 'flat', account });
    if (flatReport === '') throw new Error('the report is empty');
    for (const source of ['cost_summary', 'cost_report'] as const) {
      if ((await program.call('read', { source, account })) !== flatReport) {
        throw new Error(`${source} and the flat table give different reports`);
      }
    }
    const time = (source: Source) => (): Promise<number> =>
      program.call('time', { source, account });
    const { summary, report, flat } = await inTurn(bench.sizes.rounds, {
      summary: time('cost_summary'),
      flat: time('flat'),
      report: time('cost_report'),
    });
    const shared = { unit: 'ms', theirs: flat, beside: 'flat', note: `${rows} rows stored` };
    return [
      ratioFigure({
        ...shared,
        name: 'B9 30 days of an account, cost_summary, against a flat table',
        goal: atMost(1.5),
        ours: summary,
      }),
      ratioFigure({ ...shared, name: 'B9 the same through cost_report', ours: report }),
    ];
  } finally {
    await program.end();
    await removeFolder(dataDir);
  }
}
