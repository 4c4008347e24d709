import type { Bench } from '../benchmark.js';
import type { SelfServeSpec } from '../load/self-serve-files.js';
import { type Figure, valueFigure } from '../report/figure.js';
import { ACCOUNT, Service } from '../service/service.js';
import { IN_FLIGHT, SMALL_FILE_ROWS, smallFiles } from '../service/throughput.js';

/** Small files per large file. */
const SMALL_FILES_EACH = 20;
const SELF_SERVE_ROWS = 20_000;

/** Files other than large cost files: small ones, and self-serve files with and without gzip. */
export async function loads(bench: Bench): Promise<readonly Figure[]> {
  const { files } = bench.sizes;
  return [await smallUploads(bench, files * SMALL_FILES_EACH), ...(await selfServe(bench, files))];
}

async function smallUploads({ generator, sizes }: Bench, files: number): Promise<Figure> {
  const load = smallFiles(files);
  const { kept } = await generator.prepare(load);
  const values: number[] = [];
  for (let round = 0; round < Math.min(3, sizes.rounds); round++) {
    const service = await Service.start();
    try {
      const { target } = service;
      const posting = { target, load, concurrency: 32 };
      const { seconds } = generator.note(await generator.program.call('upload', posting));
      await service.requireTotals(kept);
      values.push(files / seconds);
    } finally {
      await service.kill();
    }
  }
  const name = `load: cost files of ${SMALL_FILE_ROWS} rows, 32 at once`;
  return valueFigure({ name, unit: 'files/s', values, note: generator.usage() });
}

async function selfServe({ generator, sizes }: Bench, files: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const gzip of [false, true]) {
    // An uncompressed file may have only 1 MiB.
    const rows = gzip ? SELF_SERVE_ROWS : 10_000;
    const load: SelfServeSpec = { family: 'self-serve', files, rows, gzip, seed: 1 };
    const { sent } = await generator.prepare(load);
    const values: number[] = [];
    for (let round = 0; round < Math.min(3, sizes.rounds); round++) {
      const service = await Service.start();
      try {
        const { target } = service;
        const posting = { target, load, concurrency: IN_FLIGHT };
        const { seconds } = generator.note(await generator.program.call('upload', posting));
        await requireSelfServe(service, sent.rows, sent.clicks);
        values.push(sent.rows / seconds);
      } finally {
        await service.kill();
      }
    }
    const name = `load: self-serve files of ${rows} rows${gzip ? ', gzip' : ''}`;
    figures.push(valueFigure({ name, unit: 'rows/s', values, note: generator.usage() }));
  }
  return figures;
}

async function requireSelfServe(service: Service, rows: number, value: number): Promise<void> {
  for (const view of ['self_serve_rows', 'self_serve_report']) {
    const [found] = await service.query<{ rows: number; value: number }>(
      `SELECT count() AS rows, toUInt64(sum(event_value)) AS value FROM ${view}
       WHERE account = '${ACCOUNT}'`,
    );
    if (found?.rows !== rows || found.value !== value) {
      throw new Error(`${view} has ${JSON.stringify(found)}, sent were ${rows} rows of ${value}`);
    }
  }
}
