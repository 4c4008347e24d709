import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';

import type { ChdbResult } from 'chdb';

import { chdbFolder } from '../../config/data-folder.js';
import { Failure, messageOf } from '../../domain/failure.js';
import { lostDisk } from '../../ops/lost-disk.js';
import { warehouseErrors } from '../../ops/metrics.js';
import { failureOf, type StatementKind } from '../failure.js';
import { ONE_PART } from '../one-part.js';
import { structureOf } from '../native/block.js';
import { identifier, text } from '../sql.js';
import {
  isOverLimits,
  WarehouseError,
  type LookUpLane,
  type NativeBlock,
  type QueryParameter,
  type Warehouse,
} from '../warehouse.js';
import { BlockFiles } from './block-files.js';
import { SessionPool } from './session-pool.js';

/** Inserts that run at once; each keeps a core busy and holds a thread of libuv's pool. */
const WRITERS = 4;

/** Look-ups by key that run at once: one for each family's read-back. */
const LOOK_UPS = 2;

const INSERT_SETTINGS = Object.entries(ONE_PART)
  .map(([name, value]) => `${name} = ${value}`)
  .join(', ');

const READ_ARGUMENTS = ['--output_format_json_quote_64bit_integers=1'];

/**
 * The ClickHouse engine in this process. Statements run on threads of libuv's pool
 * (`UV_THREADPOOL_SIZE`), never on the event loop. Queries run one at a time, because the engine
 * binds parameters one at a time in the whole process. Look-ups by key bind nothing and have
 * sessions of their own, so that queries never delay a read-back.
 *
 * A process can have one data folder open, and a data folder one process.
 */
export class ChdbWarehouse implements Warehouse {
  private readonly running = new Set<Promise<unknown>>();
  private readonly failure = new Failure();
  /** Rejects when the folder can no longer be written. */
  readonly failed = this.failure.promise;
  /** Opened for the first preview. */
  private previews: SessionPool | undefined;

  private constructor(
    private readonly folder: string,
    private readonly database: string,
    private readonly writers: SessionPool,
    private readonly readers: SessionPool,
    private readonly lookUps: SessionPool,
    private readonly files: BlockFiles,
  ) {}

  /**
   * Opens the warehouse in the data folder and creates its database.
   *
   * @throws when another process has this folder open, or this process another one
   */
  static async open(dataDir: string, database: string): Promise<ChdbWarehouse> {
    const blocks = resolve(dataDir, 'warehouse-blocks');
    if (/[*?{}]/.test(blocks)) {
      throw new Error(`the engine takes these characters for patterns, * ? { }: ${blocks}`);
    }
    const folder = chdbFolder(dataDir);
    await mkdir(folder, { recursive: true });
    const warehouse = new ChdbWarehouse(
      folder,
      database,
      new SessionPool(folder, WRITERS, []),
      new SessionPool(folder, 1, READ_ARGUMENTS),
      new SessionPool(folder, LOOK_UPS, READ_ARGUMENTS),
      // After the sessions, which hold the folder's lock: another process may be using its blocks.
      await BlockFiles.open(blocks),
    );
    await warehouse.execute(`CREATE DATABASE IF NOT EXISTS ${identifier(database)}`);
    return warehouse;
  }

  async execute(sql: string): Promise<void> {
    await this.run('other', () => this.writers.run((session) => session.queryAsync(sql)));
  }

  async insert(table: string, block: NativeBlock): Promise<void> {
    const names = block.columns.map(({ name }) => identifier(name)).join(', ');
    const into = `${identifier(this.database)}.${identifier(table)}`;
    await this.run('insert', () =>
      this.files.with(block, (path) =>
        this.writers.run((session) =>
          session.queryAsync(
            `INSERT INTO ${into} (${names}) SELECT * FROM ${tableIn(path, block)} SETTINGS ${INSERT_SETTINGS}`,
          ),
        ),
      ),
    );
  }

  async query<Row>(
    sql: string,
    parameters: Readonly<Record<string, QueryParameter>> = {},
  ): Promise<Row[]> {
    const result = await this.run('other', () =>
      this.readers.run((session) =>
        session.queryBindAsync(sql, parameters, { format: 'JSONEachRow' }),
      ),
    );
    return rowsOf<Row>(result);
  }

  async lookUp<Row>(sql: string, asked: NativeBlock, lane: LookUpLane = 'rows'): Promise<Row[]> {
    const result = await this.run(lane === 'previews' ? 'preview' : 'other', () =>
      this.files.with(asked, (path) =>
        (lane === 'rows' ? this.lookUps : this.ofPreviews()).run((session) =>
          session.queryAsync(`WITH asked AS (SELECT * FROM ${tableIn(path, asked)}) ${sql}`, {
            format: 'JSONEachRow',
          }),
        ),
      ),
    );
    return rowsOf<Row>(result);
  }

  /** Gives up merges, waits for every other statement under way, then releases the folder. */
  async close(): Promise<void> {
    await this.execute('SYSTEM STOP MERGES').catch(() => undefined);
    while (this.running.size > 0) await Promise.allSettled(this.running);
    const pools = [this.writers, this.readers, this.lookUps, this.previews];
    await Promise.all(pools.map(async (pool) => pool?.close()));
  }

  private ofPreviews(): SessionPool {
    this.previews ??= new SessionPool(this.folder, 1, READ_ARGUMENTS);
    return this.previews;
  }

  private async run<T>(kind: StatementKind, statement: () => Promise<T>): Promise<T> {
    const running = statement();
    this.running.add(running);
    try {
      return await running;
    } catch (error) {
      const failed = asWarehouseError(error, kind);
      // Previews go on without what needs too much: nothing is wrong with the warehouse.
      if (kind !== 'preview' || !isOverLimits(failed)) {
        warehouseErrors.inc({ class: failed.failure });
      }
      // The engine holds this file as long as it has the folder open.
      const lost = lostDisk(resolve(this.folder, 'status'));
      if (lost !== undefined) this.failure.report(lost);
      throw failed;
    } finally {
      this.running.delete(running);
    }
  }
}

/** The block in the file, as a table of a statement. */
function tableIn(path: string, { columns }: NativeBlock): string {
  return `file(${text(path)}, 'Native', ${text(structureOf(columns))})`;
}

function rowsOf<Row>(result: ChdbResult): Row[] {
  return result
    .text()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

function asWarehouseError(cause: unknown, kind: StatementKind): WarehouseError {
  const message = messageOf(cause);
  const digits = /^Code: (\d+)\./.exec(message)?.[1];
  const code = digits === undefined ? undefined : Number(digits);
  return new WarehouseError(message, failureOf(code, kind), code, { cause });
}
