import type { NestConstantCommands } from './baselines/nest-constant.js';
import type { Bench } from './benchmark.js';
import { statusPath, type Target } from './load/requests.js';
import { inTurn } from './measure.js';
import { Child } from './process/child.js';
import { atLeast, type Figure, ratioFigure } from './report/figure.js';
import { Service } from './service/service.js';
import { costLoad } from './service/throughput.js';

/** Enough to keep the server's one thread busy all the time. */
const CONNECTIONS = 16;
const REQUESTS = 100;
const ROWS = 10;

/** Reads of many requests, each with a token check, compared with a route that does no work. */
export async function b6(bench: Bench): Promise<readonly Figure[]> {
  const { generator, sizes } = bench;
  // Each is idle while the other is measured, so both can run through all rounds.
  const service = await Service.start();
  const nest = Child.start<NestConstantCommands>('baselines/nest-constant');
  try {
    const { target } = service;
    const load = { ...costLoad(REQUESTS, 1), rows: ROWS };
    const { kept } = await generator.prepare(load);
    const posted = await generator.program.call('upload', { target, load, concurrency: 8 });
    await service.requireTotals(kept);
    const paths = posted.result.requestIds.map((id) => statusPath('cost', id));
    const constant = { port: await nest.call('start'), token: 'none' };
    const ours = () => readsPerSecond(bench, target, paths);
    const theirs = () => readsPerSecond(bench, constant, ['/constant']);
    await ours();
    await theirs();
    generator.usage();
    const measured = await inTurn(sizes.rounds, { ours, theirs }, (name, round, rate) => {
      bench.say(`B6 round ${round + 1}, ${name}: ${Math.round(rate)} reads/s`);
    });
    return [
      ratioFigure({
        name: 'B6 status reads, against a Nest route with a constant',
        goal: atLeast(2),
        unit: 'reads/s',
        ...measured,
        beside: 'constant',
        note: generator.usage(),
      }),
    ];
  } finally {
    await service.kill();
    await nest.end();
  }
}

async function readsPerSecond(
  { generator, sizes }: Bench,
  target: Target,
  paths: readonly string[],
): Promise<number> {
  const { result, seconds } = generator.note(
    await generator.program.call('read', {
      target,
      paths,
      concurrency: CONNECTIONS,
      seconds: sizes.readSeconds,
      expected: '"status":"succeeded"',
    }),
  );
  return result / seconds;
}
