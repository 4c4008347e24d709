/**
 * The engine alone: it inserts the same CSV bytes into a flat MergeTree with the same columns,
 * synced to disk like the service's tables. It validates nothing and replaces nothing.
 *
 * With one insert per file and eight in flight, each needs its own session. The bytes are already
 * in memory, and the engine reads them without a copy.
 */
import { Session } from 'chdb';

import { COST_COLUMNS, type CostSpec } from '../load/cost-files.js';
import { loadOf } from '../load/load.js';
import { requireEqual, type Totals, TOTALS_SQL } from '../load/totals.js';
import { obey } from '../process/commands.js';
import { FLAT_TABLE } from './flat-columns.js';

let sessions: readonly Session[] = [];

const commands = {
  async open({ folder, inFlight }: { folder: string; inFlight: number }): Promise<void> {
    sessions = Array.from({ length: inFlight }, () => new Session(folder));
    for (const table of ['warm_up', 'measured']) {
      await sessions[0]!.queryAsync(`CREATE TABLE ${table} ${FLAT_TABLE}`);
    }
  },

  /** Creates the load, so that this is not measured. */
  prepare(load: CostSpec): void {
    loadOf(load);
  },

  /** Seconds until the last insert is acknowledged, with one insert per file. */
  async insertFiles({ table, load }: { table: string; load: CostSpec }): Promise<number> {
    const { files } = loadOf(load);
    const from = performance.now();
    let next = 0;
    await Promise.all(
      sessions.map(async (session) => {
        while (next < files.length) await insert(session, table, files[next++]!);
      }),
    );
    return (performance.now() - from) / 1000;
  },

  /** Seconds until all files are acknowledged, sent as one body under one header. */
  async insertBulk({ table, load }: { table: string; load: CostSpec }): Promise<number> {
    const header = Buffer.from(`${COST_COLUMNS.join(',')}\n`);
    const bodies = loadOf(load).files.map((file) => file.subarray(header.length));
    const bulk = Buffer.concat([header, ...bodies]);
    const from = performance.now();
    await insert(sessions[0]!, table, bulk);
    return (performance.now() - from) / 1000;
  },

  async requireTotals({ table, load }: { table: string; load: CostSpec }): Promise<void> {
    const result = await sessions[0]!.queryAsync(
      `SELECT ${TOTALS_SQL} FROM ${table} SETTINGS output_format_json_quote_64bit_integers = 0`,
      { format: 'JSONEachRow' },
    );
    requireEqual('the flat table', JSON.parse(result.text()) as Totals, loadOf(load).sent);
  },
};

export type FlatTableCommands = typeof commands;

async function insert(session: Session, table: string, values: Buffer): Promise<void> {
  // The engine collects asynchronous inserts first, so it acknowledges them later, not sooner.
  await session.insert({ table, values, format: 'CSVWithNames', settings: { async_insert: 0 } });
}

obey(commands);
