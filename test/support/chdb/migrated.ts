import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { chdbFolder } from '../../../src/config/data-folder.js';
import { builtOnce } from '../machine/built-once.js';
import { COMPILED_ONCE } from '../machine/compile-cache.js';
import { run } from '../service/command.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** What makes the folder, besides the engine. */
const MAKERS = ['dist/warehouse/schema', 'dist/warehouse/chdb'].map((name) => join(ROOT, name));
const ENGINE = join(ROOT, 'node_modules/chdb/package.json');
/** What the built service does with the warehouse of an empty data folder. */
const PROGRAM = `
  import { ChdbWarehouse } from './dist/warehouse/chdb/chdb-warehouse.js';
  import { migrate } from './dist/warehouse/schema/migrate.js';
  const warehouse = await ChdbWarehouse.open(process.argv[1], 'custom_data');
  await migrate(warehouse, 'custom_data');
  await warehouse.close();
  process.exit();`;

/**
 * Gives a data folder the warehouse that the built service makes at its first start: the schema
 * without rows. It is made once for each schema and each version of the engine.
 */
export async function copyMigrated(dataDir: string): Promise<void> {
  const made = builtOnce(`migrated/${version()}`, make);
  await cp(chdbFolder(made), chdbFolder(dataDir), { recursive: true });
}

function make(dataDir: string): void {
  const env = { PATH: process.env['PATH'], UV_THREADPOOL_SIZE: '16', ...COMPILED_ONCE };
  run(process.execPath, ['--input-type=module', '--eval', PROGRAM, dataDir], { env });
  // The engine's links are for people. Those of a copy would lead back.
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) unlinkSync(join(entry.parentPath, entry.name));
  }
}

function version(): string {
  const hash = createHash('sha256').update(readFileSync(ENGINE)).update(PROGRAM);
  for (const folder of MAKERS) {
    for (const name of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 16);
}
