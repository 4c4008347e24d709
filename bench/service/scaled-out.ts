import type { Bench } from '../benchmark.js';
import type { CostSpec } from '../load/cost-files.js';
import { plus } from '../load/totals.js';
import { cpuSeconds } from '../process/usage.js';
import { mergesEnded } from './merges-ended.js';
import type { Servers } from './servers.js';
import { Service } from './service.js';
import { requireCostTotals } from './stored-totals.js';
import { costLoad, warmUpLoad } from './throughput.js';

/** Enough that several ingest processes always have work. */
const CONCURRENCY = 16;
const WARM_UPS = 20;
/** The rate is about half of B1's, so half of its accounts give as long a load. */
const ACCOUNTS_OF_B1 = 0.5;
/** The parts whose processor time is measured separately. */
export const PARTS = ['gateway', 'ingest', 'status', 'broker', 'clickhouse'] as const;
export type Cost = Readonly<Record<(typeof PARTS)[number], number>>;

export interface ScaledOut {
  readonly rows: number;
  /** Bytes of a row in the files that were sent. */
  readonly bytesARow: number;
  /** Rows that went through the log, including those before the measurement. */
  readonly rowsLogged: number;
  readonly rowsPerSecond: number;
  /** Processor seconds of each part, over all its processes. */
  readonly cpu: Cost;
}

/**
 * Throughput of a gateway, a status process and some ingest processes, each a separate process,
 * from the first POST until the last row is visible. The servers have capacity to spare.
 */
export async function scaledOut(
  { generator, sizes }: Bench,
  servers: Servers,
  ingests: number,
  account: string,
): Promise<ScaledOut> {
  const warmUp = warmUpLoad(sizes.warmUpFiles, 5);
  const load = costLoad(sizes.files, 5);
  const warmed = await generator.prepare(warmUp);
  const { sent, kept, bytes } = await generator.prepare(load);
  const started: Service[] = [];
  const accounts = Math.ceil(sizes.accounts * ACCOUNTS_OF_B1);
  const start = async (role: string): Promise<Service> => {
    const env = { ...servers.env, ROLES: role };
    const service = await Service.start({ env, account, accounts });
    started.push(service);
    return service;
  };
  try {
    const gateway = await start('gateway');
    const status = await start('status');
    const workers: Service[] = [];
    while (workers.length < ingests) workers.push(await start('ingest'));
    const { target, tokens } = gateway;
    const upload = (spec: CostSpec, by?: readonly string[]) =>
      generator.program.call('upload', {
        target,
        load: spec,
        concurrency: CONCURRENCY,
        ...(by && { tokens: by }),
      });
    const rows = sent.rows * accounts;
    let rowsLogged = rows;
    for (let i = 0; i === 0 || (i < WARM_UPS && !(await haveAllWorked(workers))); i++) {
      await upload(warmUp);
      rowsLogged += warmed.sent.rows;
    }

    const used = async (): Promise<Cost> => ({
      gateway: await cpuSeconds(gateway.pid),
      ingest: await cpuOf(workers),
      status: await cpuSeconds(status.pid),
      broker: await cpuSeconds(servers.broker.pid),
      clickhouse: await cpuSeconds(servers.clickhouse.pid),
    });
    // The merges of a load count as part of it, and those of what came before do not.
    await mergesEnded(servers);
    const before = await used();
    const { seconds } = generator.note(await upload(load, tokens));
    await mergesEnded(servers);
    const after = await used();
    const cpu = Object.fromEntries(PARTS.map((part) => [part, after[part] - before[part]])) as Cost;
    const expected = new Map(
      gateway.accounts.map((each) => [each, each === account ? plus(kept, warmed.kept) : kept]),
    );
    await requireCostTotals((sql) => servers.query(sql), expected);
    return { rows, bytesARow: bytes / sent.rows, rowsLogged, rowsPerSecond: rows / seconds, cpu };
  } finally {
    // A clean stop: the broker would hold back a killed member's partitions from the next ones.
    for (const service of started) await service.stop();
  }
}

async function haveAllWorked(workers: readonly Service[]): Promise<boolean> {
  for (const worker of workers) {
    if ((await worker.metric('custom_data_rows_stored_total')) === 0) return false;
  }
  return true;
}

async function cpuOf(services: readonly Service[]): Promise<number> {
  let seconds = 0;
  for (const { pid } of services) seconds += await cpuSeconds(pid);
  return seconds;
}
