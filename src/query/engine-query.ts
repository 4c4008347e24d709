import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';

import { EngineException } from './exception.js';
import type { Pipes } from './pipes.js';
import type { ReadOnlySessions, Scope } from './sessions.js';
import type { Statement } from './statement-guard.js';

/** How long after the engine's own limit a query is stopped that writes to a reader who is slow. */
const GRACE_MS = 500;
/** A statement is not yet known to the engine in its first moments: stopping is tried again. */
const KILL_AGAIN_MS = 100;

export interface EngineQuery {
  readonly statement: Statement;
  readonly format: string;
  readonly scope: Scope;
  readonly settings: readonly string[];
  readonly timeoutMs: number;
  /** Stops the query. */
  readonly signal: AbortSignal;
}

export interface EngineResult {
  /** The bytes as the engine writes them. Ends when the query does, well or not. */
  readonly output: Readable;
  /** Whether it ended well. Rejects with an EngineException. */
  readonly done: Promise<{ readonly rows: number }>;
}

/**
 * Runs a statement that `guard` has passed and hands its result to `consume` while it is made.
 * Returns when the engine has let go of it.
 */
export async function runQuery(
  sessions: ReadOnlySessions,
  pipes: Pipes,
  query: EngineQuery,
  consume: (result: EngineResult) => Promise<void>,
): Promise<void> {
  const { statement, format, timeoutMs, signal } = query;
  const logComment = randomUUID();
  const settings = [
    ...query.settings,
    `--log_comment=${logComment}`,
    `--max_execution_time=${timeoutMs / 1_000}`,
  ];
  await sessions.use(query.scope, settings, (session) =>
    pipes.use(async ({ path, output, finish }) => {
      const sql = `${statement.text} INTO OUTFILE '${path}' APPEND FORMAT \`${format}\``;
      const started = performance.now();
      const stopped = stopping(() => {
        // The engine may be waiting in this pipe; and it goes on computing without a reader.
        output.destroy();
        sessions.kill(logComment);
      });
      const deadline = setTimeout(stopped.stop, timeoutMs + GRACE_MS);
      signal.addEventListener('abort', stopped.stop);
      if (signal.aborted) stopped.stop();

      const done = session
        .queryAsync(sql, { format })
        .then(
          (result) => {
            // EXPLAIN AST … gives the clause to the statement it explains.
            const rest = result.bytes();
            if (rest.length > 0) output.unshift(Buffer.from(rest));
            if (stopped.now()) throw interrupted(signal, started, timeoutMs);
            return { rows: result.rowsRead };
          },
          (error: unknown) => {
            throw stopped.now()
              ? interrupted(signal, started, timeoutMs)
              : EngineException.from(error);
          },
        )
        .finally(() => {
          clearTimeout(deadline);
          signal.removeEventListener('abort', stopped.stop);
          stopped.end();
          finish();
        });
      const settled = done.catch(() => undefined);
      try {
        await consume({ output, done });
      } finally {
        stopped.stop();
        // The session closes only after the engine is through with it.
        await settled;
      }
    }),
  );
}

/** Calls `once` on `stop`, and again until `end`. */
function stopping(once: () => void): { stop: () => void; end: () => void; now: () => boolean } {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const attempt = (): void => {
    try {
      once();
    } catch {
      // The next attempt follows; the engine's own limits hold as well.
    }
  };
  return {
    stop() {
      if (timer !== undefined || ended) return;
      timer = setInterval(attempt, KILL_AGAIN_MS);
      attempt();
    },
    end() {
      ended = true;
      clearInterval(timer);
    },
    now: () => timer !== undefined,
  };
}

function interrupted(signal: AbortSignal, started: number, timeoutMs: number): EngineException {
  if (signal.aborted) return EngineException.of('QUERY_WAS_CANCELLED', 'Query was cancelled.');
  const elapsed = Math.round(performance.now() - started);
  return EngineException.of(
    'TIMEOUT_EXCEEDED',
    `Timeout exceeded: elapsed ${elapsed} ms, maximum: ${timeoutMs} ms.`,
  );
}
