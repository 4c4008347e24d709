import type { Bench } from '../benchmark.js';
import { type Figure, notRun, valueFigure } from '../report/figure.js';
import { PARTS, type ScaledOut, scaledOut } from '../service/scaled-out.js';
import { Servers } from '../service/servers.js';

const INGESTS = [1, 2, 3, 4];
const NAME = 'growth: ingest processes';
const TOPIC = 'custom-data.uploads';

/**
 * What more ingest processes gain, and what rows cost in each part of the scaled-out service. All
 * parts share the cores of this machine, so the processor time says more than the rate.
 */
export async function ingests(bench: Bench): Promise<readonly Figure[]> {
  const servers = await Servers.start();
  if (servers === undefined) return [notRun(NAME, 'no broker (that takes Java and Maven)')];
  try {
    const figures: Figure[] = [];
    for (const count of INGESTS) {
      const measured: ScaledOut[] = [];
      for (let round = 0; round < Math.min(2, bench.sizes.rounds); round++) {
        measured.push(await scaledOut(bench, servers, count, `bench-${count}-${round}`));
        if (measured.length === 1 && count === 1) {
          figures.push(...(await bytesARow(servers, measured[0]!)));
        }
        const rate = Math.round(measured.at(-1)!.rowsPerSecond);
        bench.say(`${count} ingest processes, round ${round + 1}: ${rate} rows/s`);
      }
      figures.push(
        valueFigure({
          name: `${NAME}, ${count}`,
          unit: 'rows/s',
          values: measured.map(({ rowsPerSecond }) => rowsPerSecond),
          note: `CPU seconds a million rows: ${costs(measured)}; ${bench.generator.usage()}`,
        }),
      );
    }
    return figures;
  } finally {
    await servers.stop();
  }
}

function costs(measured: readonly ScaledOut[]): string {
  const rows = measured.reduce((sum, each) => sum + each.rows, 0);
  return PARTS.map((part) => {
    const seconds = measured.reduce((sum, { cpu }) => sum + cpu[part], 0);
    return `${part} ${((seconds / rows) * 1e6).toFixed(1)}`;
  }).join(', ');
}

/**
 * Bytes of a row in a file, in the log, and in the merged table. Call this after the first load.
 */
async function bytesARow(
  servers: Servers,
  { bytesARow: inFiles, rowsLogged }: ScaledOut,
): Promise<Figure[]> {
  const figure = (where: string, value: number, note: string): Figure =>
    valueFigure({ name: `growth: bytes a row ${where}`, unit: 'B', values: [value], note });
  const log = (await servers.broker.bytesOf(TOPIC)) / rowsLogged;
  await servers.query('OPTIMIZE TABLE custom_data.cost FINAL');
  const [table] = await servers.query<{ bytes: number; rows: number }>(
    `SELECT (SELECT sum(bytes_on_disk) FROM system.parts
             WHERE active AND database = 'custom_data' AND table = 'cost') AS bytes,
            (SELECT count() FROM custom_data.cost_rows) AS rows`,
  );
  return [
    figure('in files', inFiles, '11 columns'),
    figure('in the log', log, 'LZ4, one replica'),
    figure('in the table', table!.bytes / table!.rows, 'merged, one replica'),
  ];
}
