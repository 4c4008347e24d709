import { flatTableThroughput } from './baselines/flat-table-throughput.js';
import type { Bench } from './benchmark.js';
import type { SelfServeSpec } from './load/self-serve-files.js';
import { inTurn } from './measure.js';
import { atLeast, type Figure, ratioFigure } from './report/figure.js';
import { Service } from './service/service.js';
import { FILE_ROWS, IN_FLIGHT, selfServeLoad } from './service/throughput.js';

const PACKED_ROWS = 60_000;
const WARM_UP_SEED = 999;

/** The same measurement as B1 with files of custom metrics, as they are and packed. */
export async function b1s(bench: Bench): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const gzip of [false, true]) {
    const rows = gzip ? PACKED_ROWS : FILE_ROWS;
    const files = Math.ceil((bench.sizes.files * FILE_ROWS) / rows);
    const load: SelfServeSpec = { ...selfServeLoad(files, rows), gzip };
    const kind = gzip ? `gzip files of ${rows} rows` : `files of ${rows} rows`;
    const { ours, each } = await inTurn(
      bench.sizes.rounds,
      {
        ours: () => throughput(bench, load),
        each: () => flatTableThroughput(bench, load, 'insertFiles'),
      },
      (name, round, rate) => {
        bench.say(`B1s ${kind}, round ${round + 1}, ${name}: ${Math.round(rate)} rows/s`);
      },
    );
    figures.push(
      ratioFigure({
        name: `B1s self-serve, ${kind}, against one insert a file`,
        goal: atLeast(2),
        unit: 'rows/s',
        ours,
        theirs: each,
        beside: 'chDB',
        note: bench.generator.usage(),
      }),
    );
  }
  return figures;
}

async function throughput({ generator, sizes }: Bench, load: SelfServeSpec): Promise<number> {
  const warmUp = { ...load, seed: WARM_UP_SEED };
  const warmed = (await generator.prepare(warmUp)).sent;
  const { sent } = await generator.prepare(load);
  const service = await Service.start({ accounts: sizes.accounts });
  try {
    const { target, tokens, accounts } = service;
    const upload = (spec: SelfServeSpec, of?: readonly string[]) =>
      generator.program.call('upload', {
        target,
        load: spec,
        concurrency: IN_FLIGHT,
        ...(of && { tokens: of }),
      });
    await upload(warmUp);
    const { seconds } = generator.note(await upload(load, tokens));
    for (const view of ['self_serve_rows', 'self_serve_report']) {
      const [found] = await service.query<{ rows: number; value: number }>(
        `SELECT count() AS rows, toUInt64(sum(event_value)) AS value FROM ${view}`,
      );
      const rows = sent.rows * accounts.length + warmed.rows;
      const value = sent.clicks * accounts.length + warmed.clicks;
      if (found?.rows !== rows || found.value !== value) {
        throw new Error(`${view} has ${JSON.stringify(found)}, sent were ${rows} rows of ${value}`);
      }
    }
    return (sent.rows * accounts.length) / seconds;
  } finally {
    await service.kill();
  }
}
