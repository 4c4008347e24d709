import type { Family } from '../../domain/families/index.js';
import { Arena, Pool } from '../../domain/memory.js';
import { blockOf, column, DATE_TIME, STRING, UINT128 } from '../native/block.js';
import type { Erasure, InsertSize, ReadBack, RowStore, UploadToStore } from '../row-store.js';
import { identifier } from '../sql.js';
import { type Warehouse, WarehouseError } from '../warehouse.js';
import { storageBlock } from './storage-block.js';
import { probeBlock } from './memory-probe.js';
import { readBack } from './read-back.js';

/**
 * For what 250,000 keys have besides their uploads' columns: 61 bytes each, and the account's name.
 */
const BLOCK_BYTES = 32 * 1024 * 1024;
/** One for each insert that a family may have under way, or for each family. */
const MOST_INSERTS = 2;

/** The row path's SQL, for any warehouse with the schema. */
export class SqlRowStore implements RowStore {
  // Without these, the blocks of 80 files caused four to six collections of the whole heap.
  private readonly arenas = new Pool(() => new Arena(new ArrayBuffer(BLOCK_BYTES)), MOST_INSERTS);
  private readonly database: string;

  constructor(
    private readonly warehouse: Warehouse,
    database: string,
  ) {
    this.database = identifier(database);
    // From the start: V8 collects its whole heap when so much is allocated later. Unused pages take
    // no memory.
    const arenas = Array.from({ length: MOST_INSERTS }, () => this.arenas.take());
    for (const arena of arenas) this.arenas.giveBack(arena);
  }

  async writeBatch(family: Family, uploads: readonly UploadToStore[]): Promise<void> {
    const arena = this.arenas.take();
    try {
      await this.warehouse.insert(family.table, storageBlock(family, uploads, arena));
    } finally {
      arena.clear();
      this.arenas.giveBack(arena);
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
