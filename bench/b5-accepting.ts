import type { BusboySinkCommands } from './baselines/busboy-sink.js';
import type { Bench } from './benchmark.js';
import type { CostSpec } from './load/cost-files.js';
import type { Target } from './load/requests.js';
import { inTurn } from './measure.js';
import { Child } from './process/child.js';
import { makeFolder, removeFolder } from './process/cleanup.js';
import type { GatewayCommands } from './programs/gateway.js';
import { atLeast, type Figure, ratioFigure } from './report/figure.js';
import { costLoad, IN_FLIGHT, smallWarmUpLoad, warmUpLoad } from './service/throughput.js';

/** 400 files: after these the code is compiled. */
const WARM_UPS = 4;

/** The cost of durable acceptance, compared with a server that discards the same bodies. */
export async function b5(bench: Bench): Promise<readonly Figure[]> {
  const { ours, sink } = await inTurn(
    bench.sizes.rounds,
    { ours: () => gateway(bench), sink: () => busboySink(bench) },
    (name, round, rate) => {
      bench.say(`B5 round ${round + 1}, ${name}: ${rate.toFixed(0)} MB/s`);
    },
  );
  return [
    ratioFigure({
      name: 'B5 accepting, against node:http and busboy',
      goal: atLeast(0.4),
      unit: 'MB/s',
      ours,
      theirs: sink,
      beside: 'sink',
      note: bench.generator.usage(),
    }),
  ];
}

async function gateway(bench: Bench): Promise<number> {
  const folder = await makeFolder();
  const program = Child.start<GatewayCommands>('programs/gateway');
  try {
    const target = await program.call('start', { folder });
    return await megabytesPerSecond(bench, target, () => program.call('bytes'));
  } finally {
    await program.end();
    await removeFolder(folder);
  }
}

async function busboySink(bench: Bench): Promise<number> {
  const program = Child.start<BusboySinkCommands>('baselines/busboy-sink');
  try {
    const target = { port: await program.call('start'), token: 'none' };
    return await megabytesPerSecond(bench, target, () => program.call('bytes'));
  } finally {
    await program.end();
  }
}

/** @param taken returns the bytes that the server says it took */
async function megabytesPerSecond(
  { generator, sizes }: Bench,
  target: Target,
  taken: () => Promise<number>,
): Promise<number> {
  const repeat = sizes.acceptRepeat;
  const warmUps = Math.min(repeat, WARM_UPS);
  const concurrency = IN_FLIGHT;
  const small = smallWarmUpLoad(sizes.warmUpSmallFiles);
  const warmUp = warmUpLoad(sizes.warmUpFiles, 1);
  const load = costLoad(sizes.files, 1);
  const { bytes: smallBytes } = await generator.prepare(small);
  const { bytes: warmUpBytes } = await generator.prepare(warmUp);
  const { bytes } = await generator.prepare(load);
  const post = (posted: CostSpec, times = repeat) =>
    generator.program.call('post', { target, load: posted, concurrency, repeat: times });
  await post(small, 1);
  await post(warmUp, warmUps);
  const { seconds } = generator.note(await post(load));
  const found = await taken();
  const expected = smallBytes + warmUpBytes * warmUps + bytes * repeat;
  if (found !== expected) throw new Error(`${found} bytes were taken, ${expected} were sent`);
  return (bytes * repeat) / seconds / 1e6;
}
