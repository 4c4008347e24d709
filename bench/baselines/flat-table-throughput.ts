import type { Bench } from '../benchmark.js';
import { makeFolder, removeFolder } from '../process/cleanup.js';
import { Child } from '../process/child.js';
import { costLoad, FILE_ROWS, IN_FLIGHT, warmUpLoad } from '../service/throughput.js';
import type { FlatTableCommands } from './flat-table.js';

/** Rows a second of the engine alone, in a process started for this measurement. */
export async function flatTableThroughput(
  { sizes }: Bench,
  rowsPerKey: number,
  how: 'insertFiles' | 'insertBulk',
): Promise<number> {
  const folder = await makeFolder();
  const program = Child.start<FlatTableCommands>('baselines/flat-table');
  try {
    const load = costLoad(sizes.files, rowsPerKey);
    const warmUp = warmUpLoad(sizes.warmUpFiles, rowsPerKey);
    await program.call('prepare', load);
    await program.call('open', { folder, inFlight: IN_FLIGHT });
    await program.call(how, { table: 'warm_up', load: warmUp });
    const seconds = await program.call(how, { table: 'measured', load });
    await program.call('requireTotals', { table: 'measured', load });
    return (load.files * FILE_ROWS) / seconds;
  } finally {
    await program.end();
    await removeFolder(folder);
  }
}
