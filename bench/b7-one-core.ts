import type { Bench } from './benchmark.js';
import { inTurn } from './measure.js';
import { Child } from './process/child.js';
import type { OneCoreCommands } from './programs/one-core.js';
import { atLeast, type Figure, ratioFigure } from './report/figure.js';
import { costLoad, FILE_ROWS } from './service/throughput.js';

/** One thread from bytes to an encoded upload, compared with the fastest parser alone. */
export async function b7(bench: Bench): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const rowsPerKey of [1, 5]) {
    const load = costLoad(bench.sizes.oneCoreFiles, rowsPerKey);
    const order = { load, seconds: bench.sizes.oneCoreSeconds };
    const program = Child.start<OneCoreCommands>('programs/one-core');
    try {
      const ours = async (): Promise<number> => {
        const { rows, keys, rowsPerSecond } = await program.call('prepareUploads', order);
        const expected = load.files * FILE_ROWS;
        if (rows !== expected || keys !== expected / rowsPerKey) {
          throw new Error(`${rows} rows and ${keys} keys were prepared of ${expected} rows`);
        }
        return rowsPerSecond;
      };
      const theirs = () => program.call('parseWithUdsv', order);
      // Compiles the code before it is measured.
      await ours();
      await theirs();
      const measured = await inTurn(bench.sizes.rounds, { ours, theirs });
      figures.push(
        ratioFigure({
          name: `B7 one core, ${rowsPerKey === 1 ? 'all keys distinct' : `${rowsPerKey} rows a key`}, against uDSV parsing`,
          goal: atLeast(1),
          unit: 'rows/s',
          ...measured,
          beside: 'uDSV',
        }),
      );
    } finally {
      await program.end();
    }
  }
  return figures;
}
