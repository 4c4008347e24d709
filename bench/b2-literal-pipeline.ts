import type { LiteralPipelineCommands } from './baselines/literal-pipeline.js';
import type { Bench } from './benchmark.js';
import type { Contest } from './full-load.js';
import { plus } from './load/totals.js';
import { Child } from './process/child.js';
import { makeFolder, removeFolder } from './process/cleanup.js';
import { atLeast } from './report/figure.js';
import { costLoad, IN_FLIGHT, smallWarmUpLoad, warmUpLoad } from './service/throughput.js';

/** The same measurement as B1, compared with a pipeline that handles one row at a time. */
export function b2(bench: Bench): Contest {
  return {
    contestants: { literal: () => literalThroughput(bench) },
    matches: [
      {
        name: 'B2 against the literal pipeline',
        goal: atLeast(20),
        of: 'ours',
        with: 'literal',
        beside: 'literal',
      },
    ],
  };
}

async function literalThroughput({ generator, sizes }: Bench): Promise<number> {
  const small = smallWarmUpLoad(sizes.warmUpSmallFiles);
  const warmUp = warmUpLoad(sizes.literalWarmUpFiles, 1);
  const load = costLoad(sizes.literalFiles, 1);
  const first = (await generator.prepare(small)).sent;
  const warmed = plus(first, (await generator.prepare(warmUp)).sent);
  const { sent } = await generator.prepare(load);
  const folder = await makeFolder();
  const program = Child.start<LiteralPipelineCommands>('baselines/literal-pipeline');
  try {
    const target = { port: await program.call('start', { folder }), token: 'none' };
    const total = plus(warmed, sent);
    const upload = (spec: typeof load, rows: number) =>
      generator.program.call('uploadToCounter', {
        target,
        load: spec,
        concurrency: IN_FLIGHT,
        rows,
      });
    await upload(small, first.rows);
    await upload(warmUp, warmed.rows);
    const { seconds } = generator.note(await upload(load, total.rows));
    await program.call('requireTotals', total);
    return sent.rows / seconds;
  } finally {
    await program.end();
    await removeFolder(folder);
  }
}
