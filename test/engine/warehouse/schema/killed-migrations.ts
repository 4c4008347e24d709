import { migrate } from '../../../../src/warehouse/schema/migrate.js';
import { passingOn, type TestWarehouse } from '../../../support/chdb/warehouse.js';

class Killed extends Error {}

/**
 * Migrates the schema with a kill after each statement of each script. Every attempt gets one
 * statement further than the previous one.
 *
 * @returns the number of attempts
 */
export async function migrateKilledOften(opened: TestWarehouse, folder?: URL): Promise<number> {
  const { warehouse, database } = opened;
  let limit = 0;
  for (let attempts = 1; ; attempts++) {
    let left = ++limit;
    const spend = (): void => {
      if (left-- === 0) throw new Killed();
    };
    const mortal = passingOn(warehouse, {
      async execute(sql) {
        spend();
        await warehouse.execute(sql);
      },
      async insert(table, block) {
        spend();
        await warehouse.insert(table, block);
        // Counting starts again for the next script.
        limit = 0;
      },
    });
    try {
      await migrate(mortal, database, undefined, folder);
      return attempts;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
}
