/**
 * Fills a warehouse quickly, with many prepared uploads per block, through the warehouse's port.
 */
import { v7 as uuidv7 } from 'uuid';
import { VersionClock } from '../../src/domain/version.js';
import { Arena } from '../../src/domain/memory.js';
import { COST } from '../../src/domain/families/index.js';
import { prepareUpload } from '../../src/csv/prepare-upload.js';
import { storageBlock } from '../../src/warehouse/rows/storage-block.js';
import type { UploadToStore } from '../../src/warehouse/row-store.js';
import { ChdbWarehouse } from '../../src/warehouse/chdb/chdb-warehouse.js';
import { migrate } from '../../src/warehouse/schema/migrate.js';
import { randomBytes } from 'node:crypto';
import { type CostSpec, costFiles } from '../load/cost-files.js';
import type { Totals } from '../load/totals.js';
import { obey } from '../process/commands.js';

const DATABASE = 'custom_data';
const FILES_A_BLOCK = 25;
const FACTS = { finding: null, requestDay: 20_000, integratedChannels: [] };

let warehouse: ChdbWarehouse;
const clock = new VersionClock(Date.now, () => randomBytes(8).readBigUInt64LE());

const commands = {
  async open({ dataDir }: { dataDir: string }): Promise<void> {
    warehouse = await ChdbWarehouse.open(dataDir, DATABASE);
    await migrate(warehouse, DATABASE);
  },

  /** @returns the totals of the load's stored rows */
  async store({ account, load }: { account: string; load: CostSpec }): Promise<Totals> {
    const { files, kept } = costFiles(load);
    for (let from = 0; from < files.length; from += FILES_A_BLOCK) {
      const uploads = files.slice(from, from + FILES_A_BLOCK).map((file) => upload(account, file));
      await warehouse.insert(COST.table, storageBlock(COST, uploads, new Arena()));
    }
    return kept;
  },

  /** Merges everything, so that no merge is left to run during other measurements. */
  async finish(): Promise<void> {
    await warehouse.execute(`OPTIMIZE TABLE ${DATABASE}.${COST.table} FINAL`);
    await warehouse.close();
  },
};

export type StoreRowsCommands = typeof commands;

function upload(account: string, file: Buffer): UploadToStore {
  const verdict = prepareUpload(COST, [file], FACTS);
  if (!verdict.valid) throw new Error(verdict.reason);
  const requestId = uuidv7({ msecs: Date.now() });
  const uploadedAt = Math.floor(Date.now() / 1000);
  return { requestId, account, version: clock.next(), uploadedAt, prepared: verdict.upload };
}

obey(commands);
