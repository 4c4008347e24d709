/**
 * The engine alone: it inserts the same CSV bytes into a flat MergeTree with the same columns,
 * synced to disk like the service's tables. It validates nothing and replaces nothing.
 *
 * With one insert per file and eight in flight, each needs its own session. The bytes are already
 * in memory, and the engine reads them without a copy.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import { Session } from 'chdb';

import type { CostSpec } from '../load/cost-files.js';
import { loadOf } from '../load/load.js';
import type { SelfServeSpec } from '../load/self-serve-files.js';
import { NOTHING, requireEqual, type Totals, TOTALS_SQL } from '../load/totals.js';
import { obey } from '../process/commands.js';
import { type FlatSettings, flatTable, TRIED, type Tried } from './flat-columns.js';

export type FlatLoad = CostSpec | SelfServeSpec;

interface Inserting {
  readonly table: 'warm_up' | 'measured';
  readonly load: FlatLoad;
  /** How often each file is inserted. */
  readonly times: number;
}

interface Opening {
  readonly folder: string;
  readonly inFlight: number;
  readonly load: FlatLoad;
  readonly tried: Tried;
}

const unpacked = promisify(gunzip);
let sessions: readonly Session[] = [];
let settings: FlatSettings;

const commands = {
  async open(options: Opening): Promise<void> {
    const { folder, inFlight, load, tried } = options;
    settings = TRIED[tried];
    sessions = Array.from({ length: inFlight }, () => new Session(folder));
    for (const table of ['warm_up', 'measured']) {
      await sessions[0]!.queryAsync(`CREATE TABLE ${table} ${flatTable(load.family, settings)}`);
    }
    // So that this is not measured.
    loadOf(load);
  },

  /** Seconds until the last insert is acknowledged, with one insert per file. */
  async insertFiles({ table, load, times }: Inserting): Promise<number> {
    const { files } = loadOf(load);
    const isPacked = load.family === 'self-serve' && load.gzip;
    const from = performance.now();
    let next = 0;
    await Promise.all(
      sessions.map(async (session) => {
        while (next < files.length * times) {
          const file = files[next++ % files.length]!;
          await insert(session, table, isPacked ? await unpacked(file) : file);
        }
      }),
    );
    return (performance.now() - from) / 1000;
  },

  /** Seconds until all files are acknowledged, sent as bodies of all of them under one header. */
  async insertBulk({ table, load, times }: Inserting): Promise<number> {
    const { files } = loadOf(load);
    const headerLength = files[0]!.indexOf('\n') + 1;
    const header = files[0]!.subarray(0, headerLength);
    const bulk = Buffer.concat([header, ...files.map((file) => file.subarray(headerLength))]);
    const from = performance.now();
    let next = 0;
    await Promise.all(
      sessions.slice(0, settings.bulksAtOnce).map(async (session) => {
        while (next++ < times) await insert(session, table, bulk);
      }),
    );
    return (performance.now() - from) / 1000;
  },

  /** No merges of the warm-up are left to run in the measurement. */
  async dropWarmUp(): Promise<void> {
    await sessions[0]!.queryAsync('DROP TABLE warm_up SYNC');
  },

  async requireTotals({ table, load, times }: Inserting): Promise<void> {
    const sums =
      load.family === 'cost'
        ? TOTALS_SQL
        : 'count() AS rows, 0 AS impressions, toUInt64(sum(event_value)) AS clicks, 0 AS costCents';
    const result = await sessions[0]!.queryAsync(
      `SELECT ${sums} FROM ${table} SETTINGS output_format_json_quote_64bit_integers = 0`,
      { format: 'JSONEachRow' },
    );
    const { sent } = loadOf(load);
    const expected = Object.fromEntries(
      Object.keys(NOTHING).map((name) => [name, sent[name as keyof Totals] * times]),
    );
    requireEqual(
      'the flat table',
      JSON.parse(result.text()) as Totals,
      expected as unknown as Totals,
    );
  },
};

export type FlatTableCommands = typeof commands;

async function insert(session: Session, table: string, values: Buffer): Promise<void> {
  // The engine collects asynchronous inserts first, so it acknowledges them later, not sooner.
  await session.insert({
    table,
    values,
    format: 'CSVWithNames',
    settings: { ...settings.insert, async_insert: 0 },
  });
}

obey(commands);
