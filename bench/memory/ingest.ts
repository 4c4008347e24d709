import { setTimeout as sleep } from 'node:timers/promises';

import type { Bench } from '../benchmark.js';
import { costFiles } from '../load/cost-files.js';
import { requireEqual, type Totals, TOTALS_SQL } from '../load/totals.js';
import { mostResidentBytes, residentBytes } from '../process/usage.js';
import { atMost, type Figure, notRun, valueFigure } from '../report/figure.js';
import { Servers } from '../service/servers.js';
import { Service } from '../service/service.js';
import { costLoad } from '../service/throughput.js';
import { OpenUploads } from './open-uploads.js';

const NAME = 'memory: ingest, uploads of 1 MiB open at once, then the warehouse hangs';
const MIB = 1_048_576;
const PHASE_MS = 300_000;
/** How long the warehouse hangs after all ends have arrived: several attempts of a batch. */
const HANG_MS = 15_000;

/**
 * Resident memory of an ingest process with many open uploads (the topic has their chunks, but not
 * their ends), then with their ends while the warehouse hangs, then after it continues. In the end
 * every row must be in the views.
 */
export async function ingestMemory(bench: Bench): Promise<readonly Figure[]> {
  const { memoryUploads } = bench.sizes;
  const servers = await Servers.start();
  if (servers === undefined) return [notRun(NAME, 'no broker (that takes Java and Maven)')];
  let log: OpenUploads | undefined;
  let ingest: Service | undefined;
  try {
    const { file, totals } = largestFile();
    log = await OpenUploads.connect(servers.env);
    const env = { ...servers.env, ROLES: 'ingest', CLICKHOUSE_TIMEOUT_SECONDS: '5' };
    ingest = await Service.start({ env });
    const { pid } = ingest;
    const most: string[] = [];
    const note = async (phase: string): Promise<void> => {
      const now = (await residentBytes(pid)) / MIB;
      const peak = (await mostResidentBytes(pid)) / MIB;
      most.push(`${phase} ${peak.toFixed(0)} MiB`);
      bench.say(`ingest ${phase}: at most ${peak.toFixed(0)} MiB so far, now ${now.toFixed(0)}`);
    };
    const started = ingest;
    const metric: Service['metric'] = (name, labels) => started.metric(name, labels);
    await note('at the start');

    await log.begin(memoryUploads, file);
    await until('all are open', async () => {
      const bytes = await metric('custom_data_open_upload_bytes');
      return bytes === memoryUploads * file.length;
    });
    await note('open');

    await servers.clickhouse.call('fault', { kind: 'hang' });
    await log.end();
    await sleep(HANG_MS);
    await note('hanging');

    await servers.clickhouse.call('fault', null);
    await until('all have succeeded', async () => {
      const succeeded = await metric('custom_data_transitions_total', 'status="succeeded"');
      return succeeded === memoryUploads;
    });
    await note('at the end');
    await requireRows(servers, memoryUploads, totals);
    return [
      valueFigure({
        name: NAME,
        goal: atMost(512),
        isLimit: true,
        unit: 'MiB',
        values: [(await mostResidentBytes(pid)) / MIB],
        note: `${memoryUploads} uploads; at most so far: ${most.join(', ')}`,
      }),
    ];
  } finally {
    await ingest?.kill();
    await log?.close();
    await servers.stop();
  }
}

/** A valid cost file of almost the maximum size: less than a byte per row is missing. */
function largestFile(): { file: Buffer; totals: Totals } {
  const { files, sent } = costFiles(costLoad(1, 5));
  const lines = files[0]!.toString('utf8').trimEnd().split('\n');
  const room = Math.floor((MIB - files[0]!.length) / lines.length) - 1;
  const text = lines.map((line, row) => `${line},${row === 0 ? 'term' : 'x'.repeat(room)}\n`);
  return { file: Buffer.from(text.join('')), totals: sent };
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PHASE_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within ${PHASE_MS} ms: ${what}`);
    await sleep(250);
  }
}

/** Each account has one upload, and all uploads have the same file. */
async function requireRows(servers: Servers, accounts: number, totals: Totals): Promise<void> {
  for (const view of ['cost_rows', 'cost_report', 'cost_summary']) {
    const found = await servers.query<Totals & { accounts: number }>(
      `SELECT count() AS accounts, rows, impressions, clicks, costCents
       FROM (SELECT ${TOTALS_SQL} FROM ${view} GROUP BY account)
       GROUP BY rows, impressions, clicks, costCents`,
    );
    const [{ accounts: equal, ...each }] = found as [Totals & { accounts: number }];
    if (found.length !== 1 || equal !== accounts) {
      throw new Error(`${view}: ${accounts} equal accounts, but it has ${JSON.stringify(found)}`);
    }
    const { rows } = view === 'cost_rows' ? each : totals;
    requireEqual(view, { ...each, rows }, totals);
  }
}
