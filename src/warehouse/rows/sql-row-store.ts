import type { Family } from '../../domain/families/index.js';
import { blockOf, column, DATE_TIME, STRING, UINT128 } from '../native/block.js';
import type { Erasure, InsertSize, ReadBack, RowStore, UploadToStore } from '../row-store.js';
import { identifier } from '../sql.js';
import { type Warehouse, WarehouseError } from '../warehouse.js';
import { BlockMemory, storageBlock } from './storage-block.js';
import { probeBlock } from './memory-probe.js';
import { readBack } from './read-back.js';

/** The row path's SQL, for any warehouse with the schema. */
export class SqlRowStore implements RowStore {
  private readonly memory = new BlockMemory();
  private readonly database: string;

  constructor(
    private readonly warehouse: Warehouse,
    database: string,
  ) {
    this.database = identifier(database);
  }

  async writeBatch(family: Family, uploads: readonly UploadToStore[]): Promise<void> {
    const room = this.memory.lend();
    try {
      await this.warehouse.insert(family.table, storageBlock(family, uploads, room));
    } finally {
      this.memory.giveBack(room);
    }
  }

  readBack(family: Family, uploads: readonly UploadToStore[]): Promise<ReadBack> {
    return readBack(this.warehouse, this.database, family, uploads);
  }

  async hasMemoryFor(size: InsertSize): Promise<boolean> {
    try {
      await this.warehouse.insert('insert_probes', probeBlock(size));
      return true;
    } catch (error) {
      if (error instanceof WarehouseError) return false;
      throw error;
    }
  }

  async writeErasure({ account, version, at }: Erasure): Promise<void> {
    const columns = [
      column('account', STRING, [account]),
      column('version', UINT128, [version]),
      column('erased_at', DATE_TIME, [Math.floor(at / 1000)]),
    ];
    await this.warehouse.insert('account_erasures', blockOf(columns, 1));
  }

  async erasures(): Promise<ReadonlyMap<string, bigint>> {
    const rows = await this.warehouse.query<{ account: string; version: string }>(
      `SELECT account, toString(max(version)) AS version
       FROM ${this.database}.account_erasures GROUP BY account`,
    );
    return new Map(rows.map(({ account, version }) => [account, BigInt(version)]));
  }
}
