import { type Command, Option } from 'commander';

import { readConfig } from '../../config/read-config.js';
import { retrying } from '../../domain/retry.js';
import { migrate } from '../../warehouse/schema/migrate.js';
import { withWarehouse } from './connections.js';
import { secondsOf } from './options.js';
import { CommandError, type Terminal, UNREACHABLE } from './terminal.js';

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
      await retrying(
        () =>
          withWarehouse(config, (warehouse) => migrate(warehouse, database, clickhouse?.cluster)),
        // A refusal is final.
        (error) => error instanceof CommandError && error.exitCode === UNREACHABLE,
        AbortSignal.timeout(1_000 * wait),
      );
      terminal.hint(`the schema of ${database} is up to date\n`);
    });
}
