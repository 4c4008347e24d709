import type { Readable } from 'node:stream';

import { Backoff, sleep } from '../domain/retry.js';
import { text } from '../warehouse/sql.js';
import { EngineException } from './exception.js';
import type { Pipes } from './pipes.js';
import type { ReadOnlySession, ReadOnlySessions, Scope } from './sessions.js';
import type { Statement } from './statement-guard.js';

/**
 * A query is stopped so long after its limit: the engine has its own, but does not look at it while
 * it writes to a slow reader, and does not know a client's.
 */
const GRACE_MS = 500;
/** The engine does not know a statement in its first moments: stopping is tried again. */
const KILL_AGAIN_MS = 100;
/** A statement that has no place to stop at may run for minutes. */
const LONGEST_PAUSE_MS = 5_000;

export interface EngineQuery {
  readonly statement: Statement;
  readonly format: string;
  readonly scope: Scope;
  readonly timeoutMs: number;
  /** Stops the query. */
  readonly signal: AbortSignal;
}

export interface EngineResult {
  /** The bytes as the engine writes them. Ends with the query, successful or not. */
  readonly output: Readable;
  /** Resolves when the query succeeded. Rejects with an EngineException. */
  readonly done: Promise<{ readonly rows: number }>;
  /** Aborted when the client has gone or the time is over. The reason is an EngineException. */
  readonly stopped: AbortSignal;
}

/**
 * Runs a statement that `guard` has passed and hands its result to `consume` while it is made.
 * Returns when the engine has released the session.
 */
export async function runQuery(
  sessions: ReadOnlySessions,
  pipes: Pipes,
  query: EngineQuery,
  consume: (result: EngineResult) => Promise<void>,
): Promise<void> {
  const { statement, format, timeoutMs, signal } = query;
  const run = ({ engine, mark }: ReadOnlySession): Promise<void> =>
    pipes.use(async ({ path, output, discard, finish }) => {
      const sql = `${statement.text} INTO OUTFILE ${text(path)} APPEND FORMAT \`${format}\``;
      const stopping = new AbortController();
      const cancel = (): void => {
        stopping.abort(EngineException.of('QUERY_WAS_CANCELLED', 'Query was cancelled.'));
      };
      const deadline = setTimeout(() => {
        stopping.abort(
          EngineException.of('TIMEOUT_EXCEEDED', `Timeout exceeded: maximum: ${timeoutMs} ms.`),
        );
      }, timeoutMs + GRACE_MS);
      const killing = whenStopped(stopping.signal, () => {
        // The engine may be waiting for room in the pipe.
        discard();
        sessions.kill(mark);
      });
      signal.addEventListener('abort', cancel);
      if (signal.aborted) cancel();

      const done = engine
        // By `arrow` the binding means another one, for which it would change a setting.
        .queryAsync(sql, { format: format === 'arrow' ? 'Arrow' : format })
        .then(
          (result) => {
            stopping.signal.throwIfAborted();
            // EXPLAIN AST … gives the clause to the statement it explains.
            const rest = result.bytes();
            if (rest.length > 0) output.unshift(Buffer.from(rest));
            return { rows: result.rowsRead };
          },
          (error: unknown) => {
            stopping.signal.throwIfAborted();
            throw EngineException.from(error);
          },
        )
        .finally(() => {
          killing.end();
          finish();
        });
      const settled = done.catch(() => undefined);
      try {
        // Time limit and client count until the last byte is handed over, not only while the engine
        // works.
        await consume({ output, done, stopped: stopping.signal });
      } finally {
        clearTimeout(deadline);
        signal.removeEventListener('abort', cancel);
        cancel();
        // The session is given back only after the engine is done with it.
        await settled;
      }
    });
  await sessions.use(query.scope, run, signal);
}

/** Calls `kill` once the signal is aborted, and again, less and less often, until `end`. */
export function whenStopped(stopped: AbortSignal, kill: () => void): { end: () => void } {
  const ended = new AbortController();
  const start = async (): Promise<void> => {
    const pauses = new Backoff(KILL_AGAIN_MS, LONGEST_PAUSE_MS);
    while (!ended.signal.aborted) {
      try {
        kill();
      } catch {
        // The next attempt follows; the engine's own limits hold as well.
      }
      await sleep(pauses.next(), ended.signal);
    }
  };
  const begin = (): void => void start();
  stopped.addEventListener('abort', begin, { once: true });
  return {
    end() {
      stopped.removeEventListener('abort', begin);
      ended.abort();
    },
  };
}
