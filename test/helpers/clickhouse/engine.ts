import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { drainPending, Session } from 'chdb';

import { EngineException } from '../../../src/query/exception.js';
import { text } from '../../../src/warehouse/sql.js';

/** A request as ClickHouse's HTTP interface takes it. */
export interface EngineRequest {
  readonly sql: string;
  /** What an INSERT reads; undefined for other statements. */
  readonly data: Buffer | undefined;
  readonly database: string | undefined;
  readonly settings: ReadonlyMap<string, string>;
  /** Escaped as the interface takes them. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly defaultFormat: string;
}

const DATA_FORMAT = /\sFORMAT\s+(\w+)\s*$/;

/** The real engine; a session for each request, so that nothing passes from one to the next. */
export class Engine {
  private next = 0;
  private readonly keeper: Session;
  private readonly path: string;

  private constructor(private readonly folder: string) {
    this.path = join(folder, 'warehouse');
    this.keeper = new Session(this.path);
  }

  static async open(folder: string): Promise<Engine> {
    await mkdir(join(folder, 'blocks'), { recursive: true });
    return new Engine(folder);
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
    // Parameters are statements here, which on a server they are not.
    connectionArgs.push('--max_query_size=100000000');
    return new Session(this.path, { connectionArgs });
  }
}
