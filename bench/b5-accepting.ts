import { V8_OPTIONS } from '../test/support/service/service-process.js';
import type { BusboySinkCommands } from './baselines/busboy-sink.js';
import type { Bench } from './benchmark.js';
import type { CostSpec } from './load/cost-files.js';
import { PreviewClients, type Previewing } from './load/preview-clients.js';
import type { Target } from './load/requests.js';
import { inTurn } from './measure.js';
import { Child } from './process/child.js';
import { makeFolder, removeFolder } from './process/cleanup.js';
import type { GatewayCommands } from './programs/gateway.js';
import { atLeast, type Figure, ratioFigure } from './report/figure.js';
import { costLoad, IN_FLIGHT, smallWarmUpLoad, warmUpLoad } from './service/throughput.js';

/** After it the code is compiled. */
const WARM_UP_SECONDS = 3;

/** The cost of durable acceptance, compared with servers that take the same bodies with busboy. */
export async function b5(bench: Bench): Promise<readonly Figure[]> {
  const { ours, synced, nothing } = await inTurn(
    bench.sizes.rounds,
    {
      ours: () => gatewayRate(bench),
      synced: () => busboySink(bench, true),
      nothing: () => busboySink(bench, false),
    },
    (name, round, rate) => {
      bench.say(`B5 round ${round + 1}, ${name}: ${rate.toFixed(0)} MB/s`);
    },
  );
  const note = bench.generator.usage();
  const shared = { unit: 'MB/s', ours, note };
  return [
    ratioFigure({
      ...shared,
      name: 'B5 accepting, against node:http and busboy into synced files',
      goal: atLeast(0.8),
      theirs: synced,
      beside: 'synced',
    }),
    ratioFigure({
      ...shared,
      name: 'B5 accepting, against node:http and busboy into nothing',
      goal: atLeast(0.35),
      theirs: nothing,
      beside: 'nothing',
    }),
  ];
}

/**
 * Megabytes a second that the gateway accepts.
 *
 * @param previewing of a file beside it, by one client
 */
export async function gatewayRate(
  bench: Bench,
  previewing?: Pick<Previewing, 'pauseMs'> & { readonly file: Buffer },
): Promise<number> {
  const folder = await makeFolder();
  const program = Child.start<GatewayCommands>('programs/gateway', { execArgv: V8_OPTIONS });
  try {
    const hasPreviews = previewing !== undefined;
    const target = await program.call('start', { folder, hasPreviews });
    const rate = (): Promise<number> =>
      megabytesPerSecond(bench, target, () => program.call('bytes'));
    if (!hasPreviews) return await rate();
    const clients = await PreviewClients.start([target], previewing.file, previewing.pauseMs);
    return await rate().finally(async () => {
      bench.say(`${await clients.stop()} previews`);
    });
  } finally {
    await program.end();
    await removeFolder(folder);
  }
}

async function busboySink(bench: Bench, isSynced: boolean): Promise<number> {
  const folder = await makeFolder();
  const program = Child.start<BusboySinkCommands>('baselines/busboy-sink');
  try {
    const port = await program.call('start', isSynced ? { folder } : {});
    return await megabytesPerSecond(bench, { port, token: 'none' }, () => program.call('bytes'));
  } finally {
    await program.end();
    await removeFolder(folder);
  }
}

/** @param taken returns the bytes that the server says it took */
async function megabytesPerSecond(
  { generator, sizes }: Bench,
  target: Target,
  taken: () => Promise<number>,
): Promise<number> {
  const concurrency = IN_FLIGHT;
  const small = smallWarmUpLoad(sizes.warmUpSmallFiles);
  const warmUp = warmUpLoad(sizes.warmUpFiles, 1);
  const load = costLoad(sizes.files, 1);
  for (const each of [small, warmUp, load]) await generator.prepare(each);
  let sent = 0;
  const post = async (posted: CostSpec, seconds = 0) => {
    const posting = { target, load: posted, concurrency, seconds };
    const timed = await generator.program.call('post', posting);
    sent += timed.result.bytes;
    return timed;
  };
  await post(small);
  await post(warmUp, Math.min(sizes.acceptSeconds, WARM_UP_SECONDS));
  const { result, seconds } = generator.note(await post(load, sizes.acceptSeconds));
  const found = await taken();
  if (found !== sent) throw new Error(`${found} bytes were taken, ${sent} were sent`);
  if (result.bytes < sizes.acceptBytes) throw new Error(`only ${result.bytes} bytes were sent`);
  return result.bytes / seconds / 1e6;
}
