import { randomBytes } from 'node:crypto';

import { VersionClock } from '../domain/version.js';
import type { UploadLog } from '../log/upload-log.js';
import type { Parts } from '../ops/parts.js';
import { HistoryLookUps } from './history-lookups.js';
import { RequestReader } from './request-reader.js';
import type { RequestStore } from './request-store.js';
import { StatusTail } from './status-tail.js';
import { StatusView } from './status-view.js';

export interface RequestReaderDependencies {
  readonly log: UploadLog;
  readonly requests: RequestStore;
  /** How much memory the requests may take that are answered without the history. */
  readonly viewBytes: number;
  /** How long the log may take to answer. */
  readonly timeoutMs: number;
  readonly parts: Pick<Parts, 'add'>;
}

export interface StartedReader {
  readonly reader: RequestReader;
  readonly tail: StatusTail;
  /** Above every version that was given before. */
  readonly clock: VersionClock;
}

/**
 * Starts what a gateway knows of requests. No version is given before every earlier one is known.
 *
 * @param ask asks the log or the warehouse; may wait and ask again
 * @throws LogUnavailableError, WarehouseError
 */
export async function startRequestReader(
  { log, requests, viewBytes, timeoutMs, parts }: RequestReaderDependencies,
  ask: <T>(question: () => Promise<T>) => Promise<T> = (question) => question(),
): Promise<StartedReader> {
  const history = new HistoryLookUps((ids) => requests.statesOf(ids));
  const clock = new VersionClock(Date.now, () => randomBytes(8).readBigUInt64LE());
  const view = new StatusView(viewBytes);
  // 1. Follow the status topic, from where the history has been written to.
  const tail = await ask(() => StatusTail.start(log, view, clock));
  parts.add(tail);
  const reader = new RequestReader(view, tail, history, timeoutMs);
  // 2. Read what is on the topic now.
  await ask(() => reader.caughtUp());
  // 3. Learn the highest version of what the topic no longer has.
  const written = await ask(() => requests.highestVersion());
  clock.observe(written);
  view.mayLack(written.toString());
  return { reader, tail, clock };
}
