import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';

import { Arena } from '../../../src/domain/memory.js';
import type { Family } from '../../../src/domain/families/index.js';
import type { Preview } from '../../../src/preview/answer.js';
import { type CheckedFile, checkFile, type FileToCheck } from '../../../src/preview/check-file.js';
import { Previewer } from '../../../src/preview/previewer.js';
import { SqlRowStore } from '../../../src/warehouse/rows/sql-row-store.js';
import { migrate } from '../../../src/warehouse/schema/migrate.js';
import type { Warehouse } from '../../../src/warehouse/warehouse.js';
import { openWarehouseOf, type OpenWarehouse, type WarehouseKind } from '../chdb/warehouses.js';
import { FACTS, THRESHOLDS, verdictOn } from '../files/files.js';
import { csvOf } from '../model/warehouse-model.js';
import { type File, sumsColumns } from './preview-model.js';

const DATABASE = 'custom_data';

/** A warehouse with the schema, into which files are uploaded, and previews of files. */
export class Previews {
  private readonly store: SqlRowStore;
  private readonly previewer: Previewer;
  private accounts = 0;
  private version = 0n;
  private readonly erased = new Map<string, bigint>();

  private constructor(private readonly opened: OpenWarehouse) {
    this.store = new SqlRowStore(opened.warehouse, DATABASE);
    this.previewer = this.previewerOf(opened.warehouse);
  }

  static async open(kind: WarehouseKind): Promise<Previews> {
    const opened = await openWarehouseOf(kind);
    await migrate(opened.warehouse, DATABASE);
    return new Previews(opened);
  }

  close(): Promise<void> {
    return this.opened.close();
  }

  get warehouse(): Warehouse {
    return this.opened.warehouse;
  }

  /** A previewer whose queries go to another warehouse. */
  previewerOf(warehouse: Warehouse): Previewer {
    const check = (file: FileToCheck): Promise<CheckedFile> =>
      Promise.resolve(checkFile(file, new Arena()));
    const logger = pino({ level: 'silent' });
    const erasedUpTo = (account: string): bigint => this.erased.get(account) ?? 0n;
    return new Previewer(check, {
      warehouse,
      database: DATABASE,
      erasedUpTo,
      logger,
      thresholds: THRESHOLDS,
    });
  }

  /** The name of an account that has nothing. */
  newAccount(): string {
    return `account ${this.accounts++}`;
  }

  preview(
    account: string,
    { family, rows }: File,
    previewer = this.previewer,
    signal = new AbortController().signal,
  ): Promise<Preview> {
    const parts = [Buffer.from(csvOf(family, rows))];
    return previewer.preview({ family: family.name, account, parts, facts: FACTS }, signal);
  }

  /** Stores the file, and returns the id of its request. */
  async upload(account: string, { family, rows }: File): Promise<string> {
    const verdict = verdictOn(family.name, csvOf(family, rows));
    if (!verdict.valid) throw new Error(verdict.reason);
    const requestId = uuidv7();
    const version = ++this.version;
    const uploadedAt = 1_773_000_000;
    await this.store.writeBatch(family, [
      { requestId, account, version, uploadedAt, prepared: verdict.upload },
    ]);
    return requestId;
  }

  /** What is stored of the account is to go, and is still there. */
  orderErasure(account: string): void {
    this.erased.set(account, this.version);
  }

  async archive(account: string, metric: string, isArchived = true): Promise<void> {
    const version = ++this.version;
    await this.warehouse.execute(
      `INSERT INTO ${DATABASE}.metric_archivals
       VALUES ('${account}', '${metric}', ${String(isArchived)}, now(), ${version})`,
    );
  }

  /** By currency or metric the sums of all rows of the account, without those that are all zero. */
  async sums(account: string, family: Family): Promise<Map<string, readonly number[]>> {
    const { name, measures } = sumsColumns(family);
    const columns = measures.map((measure) => `toFloat64(sum(${measure}))`);
    const found = await this.warehouse.query<{ name: string; sums: readonly number[] }>(
      `SELECT ${name} AS name, [${columns.join(', ')}] AS sums
       FROM ${DATABASE}.${family.table}_rows WHERE account = {account:String} GROUP BY name`,
      { account },
    );
    return sumsThatShow(found.map(({ name: of, sums }) => [of, sums]));
  }
}

export function sumsThatShow(
  sums: Iterable<readonly [string, readonly number[]]>,
): Map<string, readonly number[]> {
  return new Map([...sums].filter(([, sum]) => sum.some((value) => value !== 0)));
}
