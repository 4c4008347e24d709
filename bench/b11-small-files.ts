import type { NestConstantCommands } from './baselines/nest-constant.js';
import type { Bench } from './benchmark.js';
import type { Target } from './load/requests.js';
import { inTurn } from './measure.js';
import { Child } from './process/child.js';
import { atLeast, type Figure, ratioFigure } from './report/figure.js';
import { Service } from './service/service.js';
import { SMALL_FILE_ROWS, smallFiles } from './service/throughput.js';

const CONNECTIONS = 32;
const WARM_UP_SECONDS = 3;

/** Small files accepted, compared with a Nest route that takes them with Multer and stores nothing. */
export async function b11(bench: Bench): Promise<readonly Figure[]> {
  const { ours, theirs } = await inTurn(
    bench.sizes.rounds,
    { ours: () => service(bench), theirs: () => nest(bench) },
    (name, round, rate) => {
      bench.say(`B11 round ${round + 1}, ${name}: ${Math.round(rate)} files/s`);
    },
  );
  return [
    ratioFigure({
      name: `B11 files of ${SMALL_FILE_ROWS} rows, ${CONNECTIONS} clients, against Nest with Multer`,
      goal: atLeast(0.5),
      unit: 'files/s',
      ours,
      theirs,
      beside: 'Multer',
      note: bench.generator.usage(),
    }),
  ];
}

async function service(bench: Bench): Promise<number> {
  const { generator, sizes } = bench;
  const load = smallFiles(sizes.warmUpSmallFiles);
  const { kept } = await generator.prepare(load);
  const started = await Service.start();
  try {
    const rate = await filesPerSecond(bench, started.target);
    // Sends each file once more, and waits until all are stored.
    const posting = { target: started.target, load, concurrency: CONNECTIONS };
    await generator.program.call('upload', posting);
    await started.requireTotals(kept);
    return rate;
  } finally {
    await started.kill();
  }
}

async function nest(bench: Bench): Promise<number> {
  const program = Child.start<NestConstantCommands>('baselines/nest-constant');
  try {
    return await filesPerSecond(bench, { port: await program.call('start'), token: 'none' });
  } finally {
    await program.end();
  }
}

async function filesPerSecond({ generator, sizes }: Bench, target: Target): Promise<number> {
  const load = smallFiles(sizes.warmUpSmallFiles);
  await generator.prepare(load);
  const posting = { target, load, concurrency: CONNECTIONS };
  const seconds = sizes.acceptSeconds;
  await generator.program.call('post', { ...posting, seconds: Math.min(seconds, WARM_UP_SECONDS) });
  const timed = generator.note(await generator.program.call('post', { ...posting, seconds }));
  return timed.result.latencies.length / timed.seconds;
}
