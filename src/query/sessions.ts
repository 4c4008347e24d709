import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';

import { Session } from 'chdb';

import type { Limits } from '../config/config.js';
import { clearSession } from '../warehouse/clear-session.js';
import { text } from '../warehouse/sql.js';
import { EngineException } from './exception.js';

/** What a query needs besides its text. */
export interface Scope {
  readonly database: string;
  /** Bound parameters by name, escaped as ClickHouse's HTTP interface takes them. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Arguments of the session, `--name=value`. */
  readonly settings: readonly string[];
}

export interface ReadOnlySession {
  readonly engine: Session;
  /** The `log_comment` of its statements, which no other session has. */
  readonly mark: string;
}

const SORTED_BLOCK = 1024 ** 2;
/** The most bytes that one query may write to temporary files. */
const MOST_SPILLED = 8 * 1024 ** 3;
/** Free bytes that such files leave on the disk: they are for uploads. */
const DISK_LEFT = 2 * 1024 ** 3;
/** Above the longest accepted text, even as a literal with every character escaped. */
const ENGINE_QUERY_BYTES = 4 * 1024 ** 2;

/** Settings of every session. */
function limited(memoryBytes: number): string[] {
  // Above it groups, and rows to be sorted, go to files: a report over millions of them is slow, not
  // refused.
  const spilledFrom = Math.floor(memoryBytes / 2);
  return [
    '--readonly=1',
    `--max_memory_usage=${memoryBytes}`,
    `--max_bytes_before_external_group_by=${spilledFrom}`,
    // Per thread; the ratio, of all memory of the machine, would apply before it.
    '--max_bytes_ratio_before_external_sort=0',
    `--max_bytes_before_external_sort=${Math.floor(spilledFrom / availableParallelism())}`,
    // All files are merged at once, a block of each: by default of 16 MiB.
    `--prefer_external_sort_block_bytes=${SORTED_BLOCK}`,
    `--max_temporary_data_on_disk_size_for_query=${MOST_SPILLED}`,
    `--min_free_disk_space_for_temporary_data=${DISK_LEFT}`,
    `--max_query_size=${ENGINE_QUERY_BYTES}`,
  ];
}

/** Sessions that wait for a query like their last one. */
const MOST_IDLE = 16;

/**
 * Read-only sessions of the engine in this process. No setting and no parameter passes from one
 * request to the next: a session is used again only for the same database, settings and names of
 * parameters, and every parameter is set again. (Closing one for each query would be slow: the
 * engine's binding closes a session only when everything that the process then has under way has
 * ended.)
 *
 * Parameters are set on the session. The engine's own binding is shared by the whole process: a
 * long query would hold up every parameterised query of the service.
 */
export class ReadOnlySessions {
  /** The one used last stands last. */
  private readonly idle: { readonly kind: string; readonly session: ReadOnlySession }[] = [];
  /** Stops what the others run. */
  private killer: ReadOnlySession | undefined;
  private isClosed = false;

  constructor(
    private readonly path: string,
    private readonly limits: Pick<Limits, 'queryTimeoutMs' | 'queryMemoryBytes'>,
  ) {}

  /** @param signal ends the binding of parameters */
  async use<T>(
    { database, parameters, settings }: Scope,
    run: (session: ReadOnlySession) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const kind = JSON.stringify([database, settings, [...parameters.keys()].sort()]);
    const session = this.takeIdle(kind) ?? (await this.openIn(database, settings));
    const { engine } = session;
    try {
      for (const [name, value] of parameters) {
        signal?.throwIfAborted();
        await engine.queryAsync(`SET param_${name} = ${text(value)}`);
      }
      const result = await run(session);
      this.keep(kind, session);
      return result;
    } catch (error) {
      if (await clearSession(engine)) this.keep(kind, session);
      else engine.close();
      throw error;
    }
  }

  /** Stops every statement of the session with this mark. Blocks for a few milliseconds. */
  kill(mark: string): void {
    if (this.isClosed) return;
    this.killer ??= this.open([]);
    // On the event loop: all threads may be busy with what is to be stopped.
    this.killer.engine.query(
      'KILL QUERY WHERE query_id IN (SELECT query_id FROM system.processes ' +
        `WHERE Settings['log_comment'] = ${text(mark)}) ASYNC`,
    );
  }

  /** A session that is in use is closed after that. */
  close(): void {
    this.isClosed = true;
    for (const { session } of this.idle.splice(0)) session.engine.close();
    this.killer?.engine.close();
    this.killer = undefined;
  }

  private async openIn(database: string, settings: readonly string[]): Promise<ReadOnlySession> {
    const session = this.open(settings);
    try {
      await session.engine.queryAsync(`USE \`${database}\``);
      return session;
    } catch (error) {
      session.engine.close();
      throw error;
    }
  }

  private takeIdle(kind: string): ReadOnlySession | undefined {
    const index = this.idle.findLastIndex((kept) => kept.kind === kind);
    return index < 0 ? undefined : this.idle.splice(index, 1)[0]!.session;
  }

  private keep(kind: string, session: ReadOnlySession): void {
    this.idle.push({ kind, session });
    const most = this.isClosed ? 0 : MOST_IDLE;
    if (this.idle.length > most) this.idle.shift()!.session.engine.close();
  }

  private open(settings: readonly string[]): ReadOnlySession {
    const mark = randomUUID();
    const own = [
      `--max_execution_time=${this.limits.queryTimeoutMs / 1_000}`,
      ...limited(this.limits.queryMemoryBytes),
      `--log_comment=${mark}`,
    ];
    try {
      return { engine: new Session(this.path, { connectionArgs: [...own, ...settings] }), mark };
    } catch (error) {
      const names = settings.map((setting) => setting.slice(2, setting.indexOf('=')));
      throw EngineException.of(
        'BAD_ARGUMENTS',
        `The engine took no session; one of these settings may have a bad value: ${names.join(', ')}.`,
        { cause: error },
      );
    }
  }
}
