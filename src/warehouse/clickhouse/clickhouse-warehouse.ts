import { Agent } from 'node:https';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClientConfigOptions,
} from '@clickhouse/client';

import type { ClickHouseConfig } from '../../config/config.js';
import type { TlsMaterial } from '../../config/configured-files.js';
import { warehouseErrors, warehouseRefusals } from '../../ops/metrics.js';
import { failureOf, type StatementKind } from '../failure.js';
import { structureOf } from '../native/block.js';
import { ONE_PART } from '../one-part.js';
import { refusalOf } from '../refusal.js';
import { identifier } from '../sql.js';
import {
  isOverLimits,
  WarehouseError,
  type LookUpLane,
  type NativeBlock,
  type QueryParameter,
  type Warehouse,
} from '../warehouse.js';
import { expectNothing, rowsOf } from './answer.js';
import { formOf, requestBody } from './request-body.js';

export interface ClickHouseOptions extends Pick<
  ClickHouseConfig,
  'url' | 'user' | 'compression' | 'insertQuorum' | 'timeoutMs'
> {
  readonly password: string;
  readonly tls: TlsMaterial;
  /** The name of the cluster behind the address; undefined: it is one server. */
  readonly cluster?: string | undefined;
  /** The database of the tables that are inserted into. It need not exist yet. */
  readonly database: string;
}

/** Below the shortest time for which servers keep a silent connection (3 s until version 23). */
const IDLE_CONNECTION_MS = 2_500;

/** The form of numbers in answers, which a user's profile may set otherwise. */
const JSON_FORM = {
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_64bit_floats: 0,
} as const;

const INSERT_SETTINGS = Object.fromEntries(
  Object.entries({
    ...ONE_PART,
    // Behind a Distributed table: acknowledged means on the shard's disk.
    distributed_foreground_insert: 1,
  }).map(([name, value]) => [name, String(value)]),
);

/** A ClickHouse server, or a cluster behind one address, over HTTP. */
export class ClickHouseWarehouse implements Warehouse {
  private readonly client: ClickHouseClient;
  /** The same, with the compression of bodies. Servers do not unpack forms, which look-ups are. */
  private readonly inserts: ClickHouseClient;
  private readonly previews: ClickHouseClient;
  private readonly database: string;
  private readonly insertKind: StatementKind;
  private readonly insertSettings: Readonly<Record<string, string>>;

  /** Connects at the first statement. */
  constructor(options: ClickHouseOptions) {
    const { url, user, password, tls, compression, insertQuorum, timeoutMs, database } = options;
    this.database = database;
    this.insertKind = options.cluster === undefined ? 'insert' : 'distributed insert';
    this.insertSettings = {
      ...INSERT_SETTINGS,
      ...(insertQuorum !== undefined && {
        insert_quorum: insertQuorum,
        // The server answers before this client gives up.
        insert_quorum_timeout: String(Math.ceil(0.75 * timeoutMs)),
      }),
    };
    const connection: ClickHouseClientConfigOptions = {
      url,
      username: user,
      password,
      // Given a certificate, the client would send the password as a header of its own, as Latin-1.
      ...agentOf(tls),
      application: 'custom-data',
      request_timeout: timeoutMs,
      keep_alive: {
        enabled: true,
        idle_socket_ttl: IDLE_CONNECTION_MS,
        // Timers run late in a busy process, and a request on a connection that the server has
        // closed fails.
        eagerly_destroy_stale_sockets: true,
      },
      compression: { request: false, response: false },
      // The client would log statements with their parameters.
      log: { level: ClickHouseLogLevel.OFF },
      clickhouse_settings: {
        // The status comes last: an error after the first byte would come with a 200.
        wait_end_of_query: 1,
        // A statement that nobody waits for any more is cancelled.
        max_execution_time: Math.ceil(timeoutMs / 1_000),
        // On a cluster, for any node: a reader finds what was written before, since both use the
        // same replica of a shard as long as it is up.
        load_balancing: 'in_order',
        prefer_localhost_replica: 0,
      },
    };
    this.client = createClient(connection);
    // gzip costs 11 ms of a core per MB of a block, as much as everything else done with it.
    this.inserts =
      compression === 'none'
        ? this.client
        : createClient({ ...connection, compression: { request: true, response: false } });
    // Connects with the first preview.
    this.previews = createClient({ ...connection, max_open_connections: 1, ...agentOf(tls, 1) });
  }

  async execute(sql: string): Promise<void> {
    await this.run('other', async () => {
      const { stream } = await this.client.exec({
        query: sql,
        clickhouse_settings: {
          // ON CLUSTER: every node has done it, or an error says which has not.
          distributed_ddl_output_mode: 'none',
        },
      });
      expectNothing(await text(stream), 'other');
    });
  }

  async insert(table: string, block: NativeBlock): Promise<void> {
    const columns = block.columns.map(({ name }) => identifier(name)).join(', ');
    const into = `${identifier(this.database)}.${identifier(table)}`;
    await this.run(this.insertKind, async () => {
      const { stream } = await this.inserts.exec({
        query: `INSERT INTO ${into} (${columns}) FORMAT Native`,
        values: Readable.from(requestBody(block.parts)),
        clickhouse_settings: this.insertSettings,
      });
      expectNothing(await text(stream), this.insertKind);
    });
  }

  async query<Row>(
    sql: string,
    parameters: Readonly<Record<string, QueryParameter>> = {},
  ): Promise<Row[]> {
    return this.run('other', async () => {
      const result = await this.client.query({
        query: sql,
        query_params: parameters,
        format: 'JSONEachRow',
        // A long list would not fit into the URL.
        use_multipart_params_auto: true,
        clickhouse_settings: JSON_FORM,
      });
      return rowsOf<Row>(await result.text());
    });
  }

  async lookUp<Row>(sql: string, asked: NativeBlock, lane: LookUpLane = 'rows'): Promise<Row[]> {
    const client = lane === 'rows' ? this.client : this.previews;
    const { contentType, parts } = formOf('asked', asked);
    return this.run(lane === 'previews' ? 'preview' : 'other', async () => {
      const { stream } = await client.exec({
        query: `${sql} FORMAT JSONEachRow`,
        values: Readable.from(requestBody(parts)),
        http_headers: { 'Content-Type': contentType },
        clickhouse_settings: {
          ...JSON_FORM,
          // No settings: without them the interface reads the form's file.
          asked_format: 'Native',
          asked_structure: structureOf(asked.columns),
        },
      });
      return rowsOf<Row>(await text(stream));
    });
  }

  /** Ends every connection. A statement under way fails, and may have been executed. */
  async close(): Promise<void> {
    await Promise.all([this.client.close(), this.previews.close()]);
    if (this.inserts !== this.client) await this.inserts.close();
  }

  private async run<T>(kind: StatementKind, statement: () => Promise<T>): Promise<T> {
    try {
      return await statement();
    } catch (error) {
      const failed = asWarehouseError(error, kind);
      // Previews go on without what needs too much: nothing is wrong with the warehouse.
      if (kind !== 'preview' || !isOverLimits(failed)) {
        warehouseErrors.inc({ class: failed.failure });
      }
      if (refusalOf(failed) !== undefined) warehouseRefusals.inc();
      throw failed;
    }
  }
}

/** An agent of ours sets the number of connections itself. */
function agentOf(tls: TlsMaterial, maxSockets = Infinity): { http_agent?: Agent } {
  if (Object.keys(tls).length === 0) return {};
  return { http_agent: new Agent({ ...tls, keepAlive: true, maxSockets }) };
}

function asWarehouseError(cause: unknown, kind: StatementKind): WarehouseError {
  if (cause instanceof WarehouseError) return cause;
  if (cause instanceof ClickHouseError) {
    const code = Number(cause.code);
    const message = `Code: ${code}. ${cause.message.trim()} (${cause.type ?? 'UNKNOWN'})`;
    return new WarehouseError(message, failureOf(code, kind), code, { cause });
  }
  // No answer, half an answer, or one of a proxy that is not ClickHouse.
  return new WarehouseError(reasonOf(cause), 'retry', undefined, { cause });
}

/** A host with several addresses fails with an error for each, and without a text of its own. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause instanceof AggregateError && cause.message === '') {
    return cause.errors.map((error) => reasonOf(error)).join(', ');
  }
  return cause.message.split('\n', 1)[0]!.slice(0, 300);
}
