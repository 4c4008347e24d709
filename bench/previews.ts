import type { Bench } from './benchmark.js';
import { Connection } from './load/connection.js';
import { loadOf } from './load/load.js';
import { previewRequest } from './load/requests.js';
import { quantile } from './measure.js';
import { mostResidentBytes, residentBytes } from './process/usage.js';
import { atMost, type Figure, valueFigure } from './report/figure.js';
import { Service } from './service/service.js';
import { storedRows } from './service/stored-rows.js';
import { costLoad } from './service/throughput.js';

const MIB = 1_048_576;

/** What previews take, with rows stored. */
export async function previews(bench: Bench): Promise<readonly Figure[]> {
  const { sizes } = bench;
  const rows = sizes.previewStoredRows;
  const stored = await storedRows({ ...bench, sizes: { ...sizes, storedRows: rows } });
  const service = await Service.start({ stored: stored.folder });
  const connection = await Connection.open(service.target.port);
  try {
    // The files of the first account as they are stored, and files of new keys.
    const same = loadOf({ ...costLoad(4, 5, 100), isDisjoint: true });
    const fresh = loadOf(costLoad(4, 1, 7));
    const took = async (files: readonly Buffer[], expected: string): Promise<number[]> => {
      const times: number[] = [];
      for (let at = 0; at < sizes.previews; at++) {
        const request = previewRequest(service.target, 'cost', files[at % files.length]!);
        const from = performance.now();
        const { status, body } = await connection.send(...request);
        times.push(performance.now() - from);
        if (status !== 200 || !body.includes(expected)) {
          throw new Error(`a preview was answered ${status}: ${body.slice(0, 500)}`);
        }
      }
      return times.sort((a, b) => a - b);
    };
    const before = await residentBytes(service.pid);
    await took(same.files.slice(0, 1), '"new":0,"replaced":0');
    const unchanged = await took(same.files, '"new":0,"replaced":0');
    const added = await took(fresh.files, '"replaced":0,"unchanged":0');
    const grown = (await mostResidentBytes(service.pid)) - before;
    const of = (name: string, times: readonly number[], q: number, goal?: number): Figure =>
      valueFigure({
        name: `previews of 10,000 rows with ${rows} stored: ${name}`,
        unit: 'ms',
        values: [quantile(times, q)],
        ...(goal !== undefined && { goal: atMost(goal) }),
      });
    return [
      of('2,000 keys stored already, p50', unchanged, 0.5),
      of('2,000 keys stored already, p95', unchanged, 0.95, 500),
      of('10,000 new keys, p50', added, 0.5),
      of('10,000 new keys, p95', added, 0.95, 500),
      valueFigure({
        name: 'previews: resident memory above that before',
        unit: 'MiB',
        values: [grown / MIB],
        goal: atMost(192),
      }),
    ];
  } finally {
    connection.close();
    await service.kill();
  }
}
