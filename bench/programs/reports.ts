/** Stores the rows that reports are asked about, and times questions on the engine that ships. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';

import { prepareUpload } from '../../src/csv/prepare-upload.js';
import { dayOf } from '../../src/domain/days.js';
import { familyNamed, type FamilyName } from '../../src/domain/families/index.js';
import { Arena } from '../../src/domain/memory.js';
import { VersionClock } from '../../src/domain/version.js';
import type { Component } from '../../src/ops/components.js';
import { ChdbWarehouse } from '../../src/warehouse/chdb/chdb-warehouse.js';
import type { UploadToStore } from '../../src/warehouse/row-store.js';
import { mergeWhenQuiet } from '../../src/warehouse/rows/quiet-merges.js';
import { storageBlock } from '../../src/warehouse/rows/storage-block.js';
import { migrate } from '../../src/warehouse/schema/migrate.js';
import { SYNCED } from '../baselines/flat-columns.js';
import { bytesOf, dayText, reportFiles, ROWS_A_KEY, KEYS_A_FILE } from '../load/report-files.js';
import { spreadOf } from '../measure.js';
import { obey } from '../process/commands.js';
import { DATABASE } from '../reports/questions.js';

/** As many as ingest puts into a batch under load. */
const FILES_A_BLOCK = 25;
const FACTS = { finding: null, requestDay: dayOf(dayText(0)), integratedChannels: [] };

/** Rows of a granule. */
const DEFAULT_GRANULARITY = 8_192;
const FINE_GRANULARITY = 1_024;

/** The columns of a flat table that are not texts, or texts with few values. */
const FLAT_TYPES: Readonly<Record<string, string>> = {
  date: 'Date',
  impressions: 'UInt64',
  clicks: 'UInt64',
  cost: 'Float64',
  event_value: 'Float64',
  is_first_event_per_device_id: 'Nullable(Bool)',
  is_first_event_per_user_id: 'Nullable(Bool)',
  channel: 'LowCardinality(String)',
  currency: 'LowCardinality(String)',
  country: 'LowCardinality(String)',
  os_name: 'LowCardinality(String)',
  event_source: 'LowCardinality(String)',
};

let warehouse: ChdbWarehouse;
let merging: Component;
const clock = new VersionClock(Date.now, () => randomBytes(8).readBigUInt64LE());

const commands = {
  async open({ dataDir }: { dataDir: string }): Promise<void> {
    warehouse = await ChdbWarehouse.open(dataDir, DATABASE);
    await migrate(warehouse, DATABASE);
    // As ingest does.
    merging = mergeWhenQuiet(warehouse, DATABASE, pino({ level: 'warn' }));
  },

  /** @returns the rows stored, those included that have been replaced */
  async store({ family, largest }: { family: FamilyName; largest: number }): Promise<number> {
    const files = reportFiles(family, largest);
    const { table } = familyNamed(family);
    for (let from = 0; from < files.length; from += FILES_A_BLOCK) {
      const uploads = files
        .slice(from, from + FILES_A_BLOCK)
        .map((file) => upload(family, file.account, bytesOf(file)));
      await warehouse.insert(table, storageBlock(familyNamed(family), uploads, new Arena()));
    }
    return files.length * KEYS_A_FILE * ROWS_A_KEY;
  },

  /**
   * Copies the rows that a family's view shows to flat tables without overwrites: one with the
   * engine's default granularity, one with that of the service's tables.
   */
  async flatten(family: FamilyName): Promise<void> {
    const { table, columns } = familyNamed(family);
    const names = ['account', ...columns.map(({ name }) => name)];
    const types = names.map((name) => {
      const type = name === 'account' ? 'LowCardinality(String)' : (FLAT_TYPES[name] ?? 'String');
      return `${name} ${type}`;
    });
    const third = table === 'cost' ? 'campaign' : 'event_category';
    const create = async (flat: string, from: string, granularity: number): Promise<void> => {
      await warehouse.execute(
        `CREATE TABLE ${DATABASE}.${flat} (${types.join(', ')}) ENGINE = MergeTree
         ORDER BY (account, date, channel, ${third})
         SETTINGS ${SYNCED}, index_granularity = ${granularity}`,
      );
      await warehouse.execute(
        `INSERT INTO ${DATABASE}.${flat} SELECT ${names.join(', ')} FROM ${DATABASE}.${from}`,
      );
      await warehouse.execute(`OPTIMIZE TABLE ${DATABASE}.${flat} FINAL`);
    };
    await create(`flat_${table}`, `${table}_rows`, DEFAULT_GRANULARITY);
    await create(`fine_${table}`, `flat_${table}`, FINE_GRANULARITY);
  },

  async merge(family: FamilyName): Promise<void> {
    await warehouse.execute(`OPTIMIZE TABLE ${DATABASE}.${familyNamed(family).table} FINAL`);
  },

  async parts(family: FamilyName): Promise<number> {
    const [row] = await warehouse.query<{ parts: number }>(
      `SELECT toUInt32(count()) AS parts FROM system.parts
       WHERE database = '${DATABASE}' AND table = '${familyNamed(family).table}' AND active`,
    );
    return row!.parts;
  },

  wait: ({ ms }: { ms: number }): Promise<void> => sleep(ms),

  async ask(sql: string): Promise<string> {
    return JSON.stringify(await warehouse.query(sql));
  },

  /** Milliseconds that the question takes: the median of so many reads. */
  async time({ sql, reads }: { sql: string; reads: number }): Promise<number> {
    const took: number[] = [];
    for (let read = 0; read < reads; read++) {
      const from = performance.now();
      await warehouse.query(sql);
      took.push(performance.now() - from);
    }
    return spreadOf(took).median;
  },

  async close(): Promise<void> {
    await merging.stop();
    await warehouse.close();
  },
};

export type ReportsCommands = typeof commands;

function upload(family: FamilyName, account: string, file: Buffer): UploadToStore {
  const verdict = prepareUpload(familyNamed(family), [file], FACTS);
  if (!verdict.valid) throw new Error(verdict.reason);
  const requestId = uuidv7({ msecs: Date.now() });
  const uploadedAt = Math.floor(Date.now() / 1000);
  return { requestId, account, version: clock.next(), uploadedAt, prepared: verdict.upload };
}

obey(commands);
