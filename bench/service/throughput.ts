import type { Bench } from '../benchmark.js';
import type { CostSpec } from '../load/cost-files.js';
import type { SelfServeSpec } from '../load/self-serve-files.js';
import { plus, type Totals } from '../load/totals.js';
import { Service, type ServiceOptions } from './service.js';

/** Uploads in flight at once, for the service and for what it is compared with. */
export const IN_FLIGHT = 8;
export const FILE_ROWS = 10_000;
export const SMALL_FILE_ROWS = 10;
/** Seeds keep loads apart: files of different seeds have no common key. */
const WARM_UP_SEED = 999;
const WARM_UP_SMALL_SEED = 998;

export function costLoad(files: number, rowsPerKey: number, seed = 1): CostSpec {
  return { family: 'cost', files, rows: FILE_ROWS, rowsPerKey, seed };
}

export function selfServeLoad(files: number, rows: number): SelfServeSpec {
  return { family: 'self-serve', files, rows, gzip: false, seed: 1 };
}

/** The load before a measurement, of the same shape. */
export function warmUpLoad(files: number, rowsPerKey: number): CostSpec {
  return costLoad(files, rowsPerKey, WARM_UP_SEED);
}

export function smallFiles(files: number, seed = 1): CostSpec {
  return { ...costLoad(files, 1, seed), rows: SMALL_FILE_ROWS };
}

/** The load before `warmUpLoad`, where JavaScript handles requests. */
export function smallWarmUpLoad(files: number): CostSpec {
  return smallFiles(files, WARM_UP_SMALL_SEED);
}

let rate: number | undefined;

/** Rows a second of B1 with all keys distinct: measured once in a run. */
export async function fullRate(bench: Bench): Promise<number> {
  rate ??= await serviceThroughput(bench, { rowsPerKey: 1 });
  return rate;
}

/** @param measured by B1 itself */
export function rememberFullRate(measured: number): void {
  rate = measured;
}

export interface ThroughputOptions extends ServiceOptions {
  readonly rowsPerKey: number;
  readonly concurrency?: number;
  /** Totals that accounts have stored before. */
  readonly before?: ReadonlyMap<string, Totals>;
  /** Begins what runs beside the measured uploads; what it returns ends that. */
  readonly beside?: (service: Service) => Promise<() => Promise<void>>;
  /** Whether to stop the service cleanly, because its servers stay in use. */
  readonly stopsCleanly?: boolean;
}

/**
 * Rows a second from the first POST until the last row is visible. The service is started for this
 * measurement, and first takes some files of another load.
 */
export async function serviceThroughput(
  { generator, sizes }: Bench,
  options: ThroughputOptions,
): Promise<number> {
  const { rowsPerKey, concurrency = IN_FLIGHT, before, stopsCleanly = false } = options;
  const small = smallWarmUpLoad(sizes.warmUpSmallFiles);
  const warmUp = warmUpLoad(sizes.warmUpFiles, rowsPerKey);
  const load = costLoad(sizes.files, rowsPerKey);
  const warmed = plus(
    (await generator.prepare(small)).kept,
    (await generator.prepare(warmUp)).kept,
  );
  const { sent, kept } = await generator.prepare(load);
  const service = await Service.start({ ...options, accounts: sizes.accounts });
  try {
    const { target } = service;
    const upload = (spec: CostSpec, tokens?: readonly string[]) =>
      generator.program.call('upload', {
        target,
        load: spec,
        concurrency,
        ...(tokens && { tokens }),
      });
    await upload(small);
    await upload(warmUp);
    const endBeside = await options.beside?.(service);
    const uploaded = upload(load, service.tokens).finally(() => endBeside?.());
    const { seconds } = generator.note(await uploaded);
    await service.requireTotals(plus(kept, warmed), kept, before);
    return (sent.rows * sizes.accounts) / seconds;
  } finally {
    await (stopsCleanly ? service.stop() : service.kill());
  }
}
