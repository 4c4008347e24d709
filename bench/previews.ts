import { cp } from 'node:fs/promises';

import { gatewayRate } from './b5-accepting.js';
import type { Bench } from './benchmark.js';
import { Connection } from './load/connection.js';
import { loadOf } from './load/load.js';
import { PreviewClients, type Previewing } from './load/preview-clients.js';
import { previewRequest } from './load/requests.js';
import type { SelfServeSpec } from './load/self-serve-files.js';
import { inTurn, quantile } from './measure.js';
import { Child } from './process/child.js';
import { makeFolder, removeFolder } from './process/cleanup.js';
import { forgetPeak, mostResidentBytes, residentBytes } from './process/usage.js';
import type { ClickHouseServerCommands } from './programs/clickhouse-server.js';
import { atLeast, atMost, type Figure, ratioFigure, valueFigure } from './report/figure.js';
import { Service, type ServiceOptions } from './service/service.js';
import { storedRows } from './service/stored-rows.js';
import { costLoad, serviceThroughput } from './service/throughput.js';

const MIB = 1_048_576;
/** Files of the first account as they are stored. */
const STORED = { ...costLoad(4, 5, 100), isDisjoint: true };
/** Files of keys that nobody has. */
const FRESH = costLoad(4, 1, 7);
/** A file with as many keys as are compared, and with many metrics: their totals are in the answer. */
const LARGE: SelfServeSpec = {
  family: 'self-serve',
  files: 1,
  rows: 100_000,
  gzip: true,
  seed: 7,
  hasMetricPerRow: true,
};

const SELDOM: Previewing = { clients: 1, pauseMs: 5_000 };
const WITHOUT_PAUSE: Previewing = { clients: 8, pauseMs: 0 };

/** What previews take with rows stored, and what they leave for uploads. */
export async function previews(bench: Bench): Promise<readonly Figure[]> {
  const { sizes } = bench;
  const rows = sizes.previewStoredRows;
  const stored = await storedRows({ ...bench, sizes: { ...sizes, storedRows: rows } });
  return [
    ...(await alone(bench, 'embedded', { stored: stored.folder })),
    ...(await overHttp(bench, stored.folder)),
    ...(await besideUploads(bench)),
  ];
}

/** The same through the HTTP adapter, from a server with the rows. */
async function overHttp(bench: Bench, stored: string): Promise<readonly Figure[]> {
  const folder = await makeFolder();
  const clickhouse = Child.start<ClickHouseServerCommands>('programs/clickhouse-server');
  try {
    await cp(stored, folder, { recursive: true });
    const env = await clickhouse.call('start', { folder });
    return await alone(bench, 'HTTP', { env });
  } finally {
    await clickhouse.end();
    await removeFolder(folder);
  }
}

/** The time of previews, one after the other, and the memory of two at once. */
async function alone(
  { generator, sizes, say }: Bench,
  where: string,
  options: ServiceOptions,
): Promise<readonly Figure[]> {
  const service = await Service.start({ ...options, accounts: 3 });
  const { port } = service.target;
  const [first, second] = [await Connection.open(port), await Connection.open(port)];
  const preview = async (
    connection: Connection,
    token: string,
    file: Buffer,
    expected: string,
    family: 'cost' | 'self-serve' = 'cost',
  ): Promise<number> => {
    const request = previewRequest({ port, token }, family, file);
    const from = performance.now();
    const { status, body } = await connection.send(...request);
    const took = performance.now() - from;
    if (status === 200 && body.includes(expected)) return took;
    throw new Error(`a preview was answered ${status}: ${body.slice(0, 500)}`);
  };
  const [token, other, third] = service.tokens as readonly [string, string, string];
  const same = loadOf(STORED).files;
  const fresh = loadOf(FRESH).files;
  const unchanged = (at: number): Promise<number> =>
    preview(first, token, same[at % same.length]!, '"new":0,"replaced":0');
  const added = (at: number): Promise<number> =>
    preview(second, other, fresh[at % fresh.length]!, '"replaced":0,"unchanged":0');
  // The same keys with other costs.
  const changed = fresh.map((file) =>
    Buffer.from(file.toString().replaceAll(/,([\d.]+),cmp-/g, ',1$1,cmp-')),
  );
  const replaced = (at: number): Promise<number> =>
    preview(first, third, changed[at % changed.length]!, '"new":0,"replaced":10000,');
  const [content] = loadOf(LARGE).files as readonly [Buffer];
  const large = (connection: Connection, of: string): Promise<number> =>
    preview(connection, of, content, '"new":100000,', 'self-serve');
  try {
    await forgetPeak(service.pid);
    const before = await residentBytes(service.pid);
    // Starts the thread, opens the connection, and asks for the known values.
    const firstMs = await unchanged(0);
    await added(0);
    const times = { unchanged: [] as number[], added: [] as number[], replaced: [] as number[] };
    for (let at = 0; at < sizes.previews; at++) times.unchanged.push(await unchanged(at));
    for (let at = 0; at < sizes.previews; at++) times.added.push(await added(at));
    for (let at = 0; at < sizes.previews; at++) await Promise.all([unchanged(at), added(at)]);
    const grown = async (): Promise<number> =>
      ((await mostResidentBytes(service.pid)) - before) / MIB;
    const ofCost = await grown();
    const largeMs = await Promise.all([large(first, token), large(second, other)]);
    const ofLarge = await grown();
    // Last: an upload's memory is not that of previews.
    await generator.prepare(FRESH);
    const upload = { target: { port, token: third }, load: FRESH, concurrency: 1 };
    await generator.program.call('upload', upload);
    for (let at = 0; at < sizes.previews; at++) times.replaced.push(await replaced(at));
    say(`previews, ${where}: the first took ${Math.round(firstMs)} ms`);
    const name = `previews of 10,000 rows with ${sizes.previewStoredRows} stored, ${where}`;
    const figure = (of: string, all: readonly number[], q: number): Figure =>
      valueFigure({
        name: `${name}: ${of}, p${q * 100}`,
        unit: 'ms',
        values: [
          quantile(
            all.toSorted((a, b) => a - b),
            q,
          ),
        ],
        ...(q === 0.95 && { goal: atMost(500) }),
      });
    return [
      ...[0.5, 0.95].map((q) => figure('2,000 keys that are stored', times.unchanged, q)),
      ...[0.5, 0.95].map((q) => figure('10,000 new keys', times.added, q)),
      ...[0.5, 0.95].map((q) => figure('10,000 keys that are replaced', times.replaced, q)),
      valueFigure({
        name: `previews of 100,000 keys, ${where}: two at once, the slower one`,
        unit: 'ms',
        values: [Math.max(...largeMs)],
      }),
      memoryFigure(`two at once of 10,000 rows of cost, ${where}`, ofCost),
      memoryFigure(`two at once of 100,000 keys, ${where}`, ofLarge),
    ];
  } finally {
    first.close();
    second.close();
    await service.kill();
  }
}

function memoryFigure(of: string, mebibytes: number): Figure {
  return valueFigure({
    name: `previews, ${of}: memory above that before the first`,
    unit: 'MiB',
    values: [mebibytes],
    goal: atMost(192),
    isLimit: true,
  });
}

/** Uploads beside previews, against uploads alone. */
async function besideUploads(bench: Bench): Promise<readonly Figure[]> {
  const [file] = loadOf(FRESH).files as readonly [Buffer];
  const b1 = (previewing?: Previewing): Promise<number> => {
    if (previewing === undefined) return serviceThroughput(bench, { rowsPerKey: 1 });
    const { clients, pauseMs } = previewing;
    return serviceThroughput(bench, {
      rowsPerKey: 1,
      beside: async ({ target: { port }, tokens }) => {
        const targets = Array.from({ length: clients }, (_, at) => {
          return { port, token: tokens[at % tokens.length]! };
        });
        const started = await PreviewClients.start(targets, file, pauseMs);
        return async () => {
          bench.say(`${await started.stop()} previews of ${clients} clients`);
        };
      },
    });
  };
  const told = (name: string, round: number, rate: number): void => {
    bench.say(`previews, round ${round + 1}, ${name}: ${Math.round(rate)}`);
  };
  const { rounds } = bench.sizes;
  const throughput = await inTurn(
    rounds,
    { alone: () => b1(), seldom: () => b1(SELDOM), always: () => b1(WITHOUT_PAUSE) },
    (name, round, rate) => {
      told(name, round, rate);
    },
  );
  const accepting = await inTurn(
    rounds,
    { alone: () => gatewayRate(bench), seldom: () => gatewayRate(bench, { ...SELDOM, file }) },
    (name, round, rate) => {
      told(name, round, rate);
    },
  );
  const note = bench.generator.usage();
  const shared = { beside: 'without previews', note };
  return [
    ratioFigure({
      ...shared,
      name: 'B1 with a preview every five seconds',
      goal: atLeast(0.95),
      unit: 'rows/s',
      ours: throughput.seldom,
      theirs: throughput.alone,
    }),
    ratioFigure({
      ...shared,
      name: 'B1 with eight clients that preview without pause',
      goal: atLeast(0.8),
      unit: 'rows/s',
      ours: throughput.always,
      theirs: throughput.alone,
    }),
    ratioFigure({
      ...shared,
      name: 'B5 with a preview every five seconds',
      goal: atLeast(0.95),
      unit: 'MB/s',
      ours: accepting.seldom,
      theirs: accepting.alone,
    }),
  ];
}
