import { setTimeout as sleep } from 'node:timers/promises';

import { type Command, Option } from 'commander';

import { readConfig } from '../../config/read-config.js';
import { migrate } from '../../warehouse/schema/migrate.js';
import { withWarehouse } from './connections.js';
import { secondsOf } from './seconds.js';
import { CommandError, type Terminal, UNREACHABLE } from './terminal.js';

const PAUSE_MS = 1_000;

export function addMigrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description("bring the warehouse's schema up to date (the embedded service does so at start)")
    .addOption(
      new Option('--wait <seconds>', 'begin again for so long while the server does not answer')
        .default(0)
        .argParser(secondsOf),
    )
    .action(async ({ wait }: { readonly wait: number }) => {
      const config = readConfig(terminal.env);
      const { clickhouse, clickhouseDatabase: database } = config;
      await whenReachable(wait, () =>
        withWarehouse(config, (warehouse) => migrate(warehouse, database, clickhouse?.cluster)),
      );
      terminal.hint(`the schema of ${database} is up to date\n`);
    });
}

/** Repeats `work` for as long as the server may be unreachable. A refusal is final. */
async function whenReachable(seconds: number, work: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + 1_000 * seconds; ;) {
    try {
      await work();
      return;
    } catch (error) {
      const isUnreachable = error instanceof CommandError && error.exitCode === UNREACHABLE;
      if (!isUnreachable || Date.now() + PAUSE_MS > end) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
