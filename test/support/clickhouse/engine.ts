import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { drainPending, Session } from 'chdb';

import { EngineException } from '../../../src/query/exception.js';
import { text } from '../../../src/warehouse/sql.js';

/** Data sent along with a statement, which reads it as a table. */
export interface ExternalTable {
  readonly name: string;
  readonly structure: string;
  readonly format: string;
  readonly data: Buffer;
}

/** A request to ClickHouse's HTTP interface. */
export interface EngineRequest {
  readonly sql: string;
  /** The data of an INSERT; undefined for other statements. */
  readonly data: Buffer | undefined;
  readonly tables: readonly ExternalTable[];
  readonly database: string | undefined;
  readonly settings: ReadonlyMap<string, string>;
  /** Escaped as the HTTP interface expects. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly defaultFormat: string;
}

const DATA_FORMAT = /\sFORMAT\s+(\w+)\s*$/;

/** The real engine. Each request gets its own session, so that no state carries over. */
export class Engine {
  private next = 0;
  private readonly keeper: Session;
  private readonly path: string;

  private constructor(
    private readonly folder: string,
    connectionArgs: readonly string[],
  ) {
    this.path = join(folder, 'warehouse');
    this.keeper = new Session(this.path, { connectionArgs });
  }

  /** @param config the server's configuration, as XML */
  static async open(folder: string, config?: string): Promise<Engine> {
    await mkdir(join(folder, 'blocks'), { recursive: true });
    if (config === undefined) return new Engine(folder, []);
    const path = join(folder, 'config.xml');
    await writeFile(path, config);
    return new Engine(folder, [`--config-file=${path}`]);
  }

  static isInsertOfData(sql: string): boolean {
    return /^\s*INSERT\s/i.test(sql) && DATA_FORMAT.test(sql);
  }

  /** @throws EngineException */
  async run(request: EngineRequest): Promise<Buffer> {
    const block = join(this.folder, 'blocks', String(this.next++));
    const session = this.session(request.settings);
    try {
      if (request.database !== undefined) {
        await session.queryAsync(`USE \`${request.database}\``);
      }
      for (const [name, value] of request.parameters) {
        await session.queryAsync(`SET param_${name} = ${text(value)}`);
      }
      for (const { name, structure, format, data } of request.tables) {
        await writeFile(block, data);
        const source = `file(${text(block)}, ${text(format)}, ${text(structure)})`;
        await session.queryAsync(`CREATE TEMPORARY TABLE \`${name}\` (${structure})`);
        await session.queryAsync(`INSERT INTO \`${name}\` SELECT * FROM ${source}`);
      }
      let { sql } = request;
      if (request.data !== undefined) {
        await writeFile(block, request.data);
        sql = sql.replace(
          DATA_FORMAT,
          (_, format: string) => ` FROM INFILE ${text(block)} COMPRESSION 'none' FORMAT ${format}`,
        );
      }
      const result = await session.queryAsync(sql, { format: request.defaultFormat });
      return Buffer.from(result.bytes());
    } catch (error) {
      throw EngineException.from(error);
    } finally {
      session.close();
      await rm(block, { force: true });
    }
  }

  async close(): Promise<void> {
    this.keeper.close();
    await drainPending();
  }

  private session(settings: ReadonlyMap<string, string>): Session {
    const connectionArgs = [...settings].map(([name, value]) => `--${name}=${value}`);
    connectionArgs.push(
      // Unlike a server, this engine gets parameters as statements.
      '--max_query_size=100000000',
      // A configured cluster has only this process as a node, and it listens on no port.
      '--prefer_localhost_replica=1',
    );
    return new Session(this.path, { connectionArgs });
  }
}
