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

/** What accepting durably costs, against a server that takes the same bodies and forgets them. */
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

/** @param taken the bytes that the server says it took */
async function megabytesPerSecond(
  { generator, sizes }: Bench,
  target: Target,
  taken: () => Promise<number>,
): Promise<number> {
  const repeat = sizes.acceptRepeat;
  let expected = 0;
  const post = async (load: CostSpec) => {
    const bytes = (await generator.prepare(load)).bytes * repeat;
    expected += bytes;
    const posting = { target, load, concurrency: IN_FLIGHT, repeat };
    return { bytes, timed: await generator.program.call('post', posting) };
  };
  await post(smallWarmUpLoad(sizes.warmUpSmallFiles));
  await post(warmUpLoad(sizes.warmUpFiles, 1));
  const { bytes, timed } = await post(costLoad(sizes.files, 1));
  const { seconds } = generator.note(timed);
  const found = await taken();
  if (found !== expected) throw new Error(`${found} bytes were taken, ${expected} were sent`);
  return bytes / seconds / 1e6;
}
