/**
 * Measures what is named on the command line, or the goals B1 to B10, and prints one table.
 * `--smoke` measures very little of each, to see that all of it works.
 */
import { parseArgs } from 'node:util';

import { b1 } from './b1-throughput.js';
import type { Bench, Benchmark } from './benchmark.js';
import { LoadGenerator } from './load/load-generator.js';
import type { Figure } from './report/figure.js';
import { describeMachine } from './report/machine.js';
import { tableOf } from './report/table.js';
import { FULL, SMOKE } from './sizes.js';

const GOALS: Readonly<Record<string, Benchmark>> = {
  B1: b1,
};

const OTHERS: Readonly<Record<string, Benchmark>> = {};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { smoke: { type: 'boolean', default: false } },
  });
  const all = { ...GOALS, ...OTHERS };
  const names = positionals.length === 0 ? Object.keys(GOALS) : positionals;
  for (const name of names) {
    if (!(name in all)) {
      throw new Error(`there is no benchmark ${name}; there are ${Object.keys(all).join(', ')}`);
    }
  }

  const machine = describeMachine();
  const generator = new LoadGenerator();
  const bench: Bench = {
    sizes: values.smoke ? SMOKE : FULL,
    generator,
    say: (text) => process.stderr.write(`${text}\n`),
  };
  const figures: Figure[] = [];
  const wrong: string[] = [];
  for (const name of names) {
    const from = performance.now();
    try {
      figures.push(...(await all[name]!(bench)));
    } catch (error) {
      // The others are still worth knowing; the run fails in the end.
      wrong.push(`${name}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
    }
    bench.say(`${name} took ${Math.round((performance.now() - from) / 1000)} s`);
  }
  await generator.end();

  const { rounds } = bench.sizes;
  const kind = values.smoke ? 'SMOKE RUN, the figures mean nothing' : `${rounds} rounds`;
  process.stdout.write(`\n${machine}; ${kind}\n\n${tableOf(figures)}\n`);
  for (const error of wrong) process.stdout.write(`\nWRONG: ${error}\n`);
  process.exit(wrong.length > 0 ? 1 : 0);
}

main().catch((error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
