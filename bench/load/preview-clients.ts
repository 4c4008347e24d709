import { setTimeout as sleep } from 'node:timers/promises';

import { Connection } from './connection.js';
import { previewRequest, type Target } from './requests.js';

/** How often files are previewed. */
export interface Previewing {
  readonly clients: number;
  /** Of each client, between an answer and its next preview. */
  readonly pauseMs: number;
}

/** Clients that preview a file again and again while something else is measured. */
export class PreviewClients {
  private readonly stopping = new AbortController();
  private readonly working: readonly Promise<void>[];
  private answered = 0;

  private constructor(
    private readonly connections: readonly Connection[],
    targets: readonly Target[],
    file: Buffer,
    pauseMs: number,
  ) {
    this.working = connections.map((connection, at) =>
      this.work(connection, previewRequest(targets[at]!, 'cost', file), pauseMs),
    );
    // `stop` rejects with it.
    for (const work of this.working) work.catch(() => undefined);
  }

  /** @param targets one for each client, of accounts of their own */
  static async start(
    targets: readonly Target[],
    file: Buffer,
    pauseMs: number,
  ): Promise<PreviewClients> {
    const connections: Connection[] = [];
    for (const { port } of targets) connections.push(await Connection.open(port));
    return new PreviewClients(connections, targets, file, pauseMs);
  }

  /**
   * Resolves when the last answers are there, with how many previews there were.
   *
   * @throws Error when an answer was neither a preview nor 503, or when there was no preview
   */
  async stop(): Promise<number> {
    this.stopping.abort();
    try {
      await Promise.all(this.working);
    } finally {
      for (const connection of this.connections) connection.close();
    }
    if (this.answered === 0) throw new Error('no preview was answered');
    return this.answered;
  }

  private async work(
    connection: Connection,
    request: readonly Buffer[],
    pauseMs: number,
  ): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const { status, body } = await connection.send(...request);
      if (status === 200) this.answered++;
      else if (status !== 503) throw new Error(`a preview was answered ${status}: ${body}`);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
