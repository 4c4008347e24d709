import type { Bench } from '../benchmark.js';
import { Child } from '../process/child.js';
import { makeFolder, removeFolder } from '../process/cleanup.js';
import { IN_FLIGHT } from '../service/throughput.js';
import { FASTEST } from './flat-columns.js';
import type { FlatLoad, FlatTableCommands } from './flat-table.js';

/** Rows a second of the engine alone, in a process started for this measurement. */
export async function flatTableThroughput(
  { sizes }: Bench,
  load: FlatLoad,
  how: 'insertFiles' | 'insertBulk',
  tried = FASTEST[how],
): Promise<number> {
  const folder = await makeFolder();
  const program = Child.start<FlatTableCommands>('baselines/flat-table');
  try {
    await program.call('open', { folder, inFlight: IN_FLIGHT, load, tried });
    await program.call(how, { table: 'warm_up', load, times: 1 });
    await program.call('dropWarmUp');
    const measured = { table: 'measured', load, times: sizes.baselineTimes } as const;
    const seconds = await program.call(how, measured);
    await program.call('requireTotals', measured);
    return (load.files * load.rows * sizes.baselineTimes) / seconds;
  } finally {
    await program.end();
    await removeFolder(folder);
  }
}
