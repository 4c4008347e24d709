/** The tests' ClickHouse server: the real engine behind ClickHouse's HTTP protocol, with faults. */
import { Engine } from '../../test/support/clickhouse/engine.js';
import type { Fault } from '../../test/support/clickhouse/faults.js';
import { ClickHouseServer } from '../../test/support/clickhouse/server.js';
import { obey } from '../process/commands.js';

const DATABASE = 'custom_data';
const CREDENTIALS = { user: 'bench', password: 'bench' };

let engine: Engine;
let server: ClickHouseServer;

const commands = {
  /** @returns environment variables that connect a service to it */
  async start({ folder }: { folder: string }): Promise<Record<string, string>> {
    engine = await Engine.open(folder);
    server = new ClickHouseServer(engine, CREDENTIALS, undefined);
    const port = await server.accept(0);
    return {
      CLICKHOUSE_URL: `http://127.0.0.1:${port}`,
      CLICKHOUSE_USER: CREDENTIALS.user,
      CLICKHOUSE_PASSWORD: CREDENTIALS.password,
    };
  },

  /** The fault for every request from now on; null: none. */
  fault(fault: Fault | null): void {
    server.faults.set(fault ?? undefined);
  },

  /** The rows as JSONEachRow, with integers as numbers. */
  async query(sql: string): Promise<string> {
    const answer = await engine.run({
      sql,
      data: undefined,
      tables: [],
      database: DATABASE,
      settings: new Map([['output_format_json_quote_64bit_integers', '0']]),
      parameters: new Map(),
      defaultFormat: 'JSONEachRow',
    });
    return answer.toString('utf8');
  },
};

export type ClickHouseServerCommands = typeof commands;

obey(commands);
