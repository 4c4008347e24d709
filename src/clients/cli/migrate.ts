import type { Command } from 'commander';
import { readConfig } from '../../config/read-config.js';
import { migrate } from '../../warehouse/schema/migrate.js';
import { withWarehouse } from './connections.js';
import type { Terminal } from './terminal.js';

export function addMigrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description("bring the warehouse's schema up to date (the embedded service does so at start)")
    .action(async () => {
      const config = readConfig(terminal.env);
      const { clickhouse, clickhouseDatabase: database } = config;
      await withWarehouse(config, (warehouse) => migrate(warehouse, database, clickhouse?.cluster));
      terminal.hint(`the schema of ${database} is up to date\n`);
    });
}
