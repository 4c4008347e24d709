/**
 * Runs the benchmarks named on the command line, or the goals B1 to B11, and prints their tables.
 * `--smoke` measures very little of each, to check that all of it works. `--chart FILE` draws some
 * of the figures.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { baselines } from './baselines/tried.js';
import { b1s } from './b1-self-serve.js';
import { b1, b1FewKeys } from './b1-throughput.js';
import { b2 } from './b2-literal-pipeline.js';
import { b3 } from './b3-kafka.js';
import { b4 } from './b4-gateway-memory.js';
import { b5 } from './b5-accepting.js';
import { b6 } from './b6-status-reads.js';
import { b7 } from './b7-one-core.js';
import { b8 } from './b8-growth.js';
import { b9 } from './b9-report.js';
import { b10 } from './b10-latency.js';
import { b11 } from './b11-small-files.js';
import type { Bench, Benchmark } from './benchmark.js';
import { type Contest, fullLoad } from './full-load.js';
import { previews } from './previews.js';
import { clients } from './growth/clients.js';
import { ingests } from './growth/ingests.js';
import { leak } from './growth/leak.js';
import { partitions } from './growth/partitions.js';
import { LoadGenerator } from './load/load-generator.js';
import { gatewayMemory } from './memory/gateway.js';
import { ingestMemory } from './memory/ingest.js';
import { chartOf } from './report/chart.js';
import type { Figure } from './report/figure.js';
import { describeMachine } from './report/machine.js';
import { tablesOf } from './report/table.js';
import { FULL, SMOKE } from './sizes.js';

/** In turn: they compare the service with others under the same load. */
const FULL_LOAD: Readonly<Record<string, (bench: Bench) => Contest | Promise<Contest>>> = {
  B8: b8,
  B1: b1,
  B2: b2,
  B3: b3,
};

/** A full run. */
const GOALS = ['B1', 'B1s', 'B2', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8', 'B9', 'B10', 'B11'];

/** The others, and the second half of B1. */
const ALONE: Readonly<Record<string, Benchmark>> = {
  B1: b1FewKeys,
  B1s: b1s,
  B4: b4,
  B5: b5,
  B6: b6,
  B7: b7,
  B9: b9,
  B10: b10,
  B11: b11,
  memory: async (bench) => [...(await gatewayMemory(bench)), ...(await ingestMemory(bench))],
  growth: async (bench) => [
    ...(await clients(bench)),
    ...(await partitions(bench)),
    ...(await ingests(bench)),
    ...(await leak(bench)),
  ],
  baselines,
  previews,
  clients,
  partitions,
  ingests,
  leak,
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      smoke: { type: 'boolean', default: false },
      chart: { type: 'string' },
    },
  });
  const names = [...new Set(positionals.length === 0 ? GOALS : positionals)];
  for (const name of names) {
    if (!(name in FULL_LOAD || name in ALONE)) {
      const all = [...new Set([...GOALS, ...Object.keys(ALONE)])];
      throw new Error(`there is no benchmark ${name}; there are ${all.join(', ')}`);
    }
  }

  const started = performance.now();
  const machine = describeMachine();
  const generator = new LoadGenerator();
  const bench: Bench = {
    sizes: values.smoke ? SMOKE : FULL,
    generator,
    say: (text) => process.stderr.write(`${text}\n`),
  };
  const figures: Figure[] = [];
  const wrong: string[] = [];
  // The other figures are still useful. The run fails at the end.
  const fails = (name: string, error: unknown): void => {
    wrong.push(`${name}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
  };
  const run = async (name: string, benchmark: Benchmark): Promise<void> => {
    const from = performance.now();
    try {
      figures.push(...(await benchmark(bench)));
    } catch (error) {
      fails(name, error);
    }
    bench.say(`${name} took ${Math.round((performance.now() - from) / 1000)} s`);
  };
  const contests = new Map(Object.entries(FULL_LOAD).filter(([name]) => names.includes(name)));
  if (contests.size > 0) {
    await run([...contests.keys()].join(', '), () => fullLoad(bench, contests, fails));
  }
  for (const name of names) if (name in ALONE) await run(name, ALONE[name]!);
  const place = (figure: Figure): number =>
    names.findIndex((name) => figure.name.startsWith(`${name} `)) + 1 || Infinity;
  figures.sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
  await generator.end();

  const { rounds } = bench.sizes;
  const kind = values.smoke ? 'SMOKE RUN, the figures mean nothing' : `${rounds} rounds`;
  const minutes = Math.round((performance.now() - started) / 60_000);
  process.stdout.write(`\n${machine}; ${kind}; ${minutes} minutes\n\n${tablesOf(figures)}\n`);
  if (values.chart !== undefined) writeFileSync(values.chart, chartOf(figures));
  if (process.env['CI'] !== undefined) {
    // There, nothing may be missing that a benchmark needs.
    const missing = figures.filter(({ outcome }) => outcome === 'not run');
    wrong.push(...missing.map(({ name, detail }) => `${name}: ${detail}`));
  }
  for (const error of wrong) process.stdout.write(`\nWRONG: ${error}\n`);
  process.exit(wrong.length > 0 ? 1 : 0);
}

main().catch((error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
