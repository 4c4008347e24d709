import { Session } from 'chdb';

import { text } from '../warehouse/sql.js';
import { CODE, EngineException } from './exception.js';

/** What a query is run for, besides its text. */
export interface Scope {
  readonly database: string;
  /** Bound parameters by name, escaped as ClickHouse's HTTP interface takes them. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Bytes that one query may use. */
const QUERY_MEMORY = 2 * 1024 ** 3;
/** Above the longest text taken, also where it stands as a literal with every character escaped. */
const ENGINE_QUERY_BYTES = 4 * 1024 ** 2;

/**
 * Read-only sessions of the engine in this process. Each use gets one of its own (half a
 * millisecond), so that no setting, database or parameter passes from one request to the next.
 *
 * Parameters are set on the session. The engine's own binding is shared by the whole process: a
 * long query would hold up every parameterised query of the service.
 */
export class ReadOnlySessions {
  constructor(private readonly path: string) {}

  /** @param settings further arguments of the form `--name=value` */
  async use<T>(
    scope: Scope,
    settings: readonly string[],
    run: (session: Session) => Promise<T>,
  ): Promise<T> {
    const session = this.open(settings);
    try {
      await session.queryAsync(`USE \`${scope.database}\``);
      for (const [name, value] of scope.parameters) {
        await session.queryAsync(`SET param_${name} = ${text(value)}`);
      }
      return await run(session);
    } finally {
      session.close();
    }
  }

  /** Stops every statement that runs under this `log_comment`. Blocks for a few milliseconds. */
  kill(logComment: string): void {
    const session = this.open([]);
    try {
      // Not off the event loop: the threads may all be busy with what is to be stopped.
      session.query(
        'KILL QUERY WHERE query_id IN (SELECT query_id FROM system.processes ' +
          `WHERE Settings['log_comment'] = ${text(logComment)}) ASYNC`,
      );
    } finally {
      session.close();
    }
  }

  private open(settings: readonly string[]): Session {
    const limits = [
      '--readonly=1',
      `--max_memory_usage=${QUERY_MEMORY}`,
      `--max_query_size=${ENGINE_QUERY_BYTES}`,
    ];
    try {
      return new Session(this.path, { connectionArgs: [...limits, ...settings] });
    } catch (error) {
      const names = settings.map((setting) => setting.slice(2, setting.indexOf('=')));
      throw new EngineException(
        CODE.BAD_ARGUMENTS,
        'BAD_ARGUMENTS',
        `The engine took no session; one of these settings may have a bad value: ${names.join(', ')}.`,
        { cause: error },
      );
    }
  }
}
