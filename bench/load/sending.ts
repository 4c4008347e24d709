import { setTimeout as sleep } from 'node:timers/promises';

import { Connection } from './connection.js';
import { loadOf, type LoadSpec } from './load.js';
import { createRequest, readRequest, statusPath, type Target } from './requests.js';

/** The longest time from the last answer until the last upload is visible. */
const VISIBLE_MS = 120_000;
const POLL_MS = 3;

export interface Posting {
  readonly target: Target;
  readonly load: LoadSpec;
  /** Files in flight, each on its own connection. */
  readonly concurrency: number;
  /**
   * Tokens of accounts: all files are sent for each of them, so that no two have a key in common. A
   * token that stands there twice sends them twice. The default is the target's.
   */
  readonly tokens?: readonly string[];
  /** Sends files again and again for so long; the default is to send each once for each account. */
  readonly seconds?: number;
}

export interface Posted {
  /** Request ids of the uploads, in the order of their answers. */
  readonly requestIds: readonly string[];
  /** By upload, the token of its account. */
  readonly tokens: readonly string[];
  /** Milliseconds from the first byte sent to the answer, by upload. */
  readonly latencies: readonly number[];
  /** Bytes of all files sent. */
  readonly bytes: number;
}

/** Sends the files of a load. Each must be answered 201. */
export async function postAll(posting: Posting): Promise<Posted> {
  const { target, load, concurrency, tokens = [target.token], seconds = 0 } = posting;
  const { files } = loadOf(load);
  const requests = tokens.flatMap((token) =>
    files.map((file) => {
      const request = createRequest({ ...target, token }, load.family, file);
      return { request, token, bytes: file.length };
    }),
  );
  const posted = {
    requestIds: [] as string[],
    tokens: [] as string[],
    latencies: [] as number[],
    bytes: 0,
  };
  const until = performance.now() + seconds * 1_000;
  let next = 0;
  await onConnections(target.port, concurrency, async (connection) => {
    while (seconds === 0 ? next < requests.length : performance.now() < until) {
      const { request, token, bytes } = requests[next++ % requests.length]!;
      const from = performance.now();
      const { status, body } = await connection.send(...request);
      if (status !== 201) throw new Error(`a create was answered ${status}: ${body}`);
      posted.latencies.push(performance.now() - from);
      posted.requestIds.push((JSON.parse(body) as { requestId: string }).requestId);
      posted.tokens.push(token);
      posted.bytes += bytes;
    }
  });
  return posted;
}

/** Waits until every request is `succeeded`. Polling one request at a time costs almost nothing. */
export async function allSucceeded(
  target: Target,
  family: LoadSpec['family'],
  { requestIds, tokens }: Posted,
): Promise<void> {
  const until = Date.now() + VISIBLE_MS;
  await onConnections(target.port, 1, async (connection) => {
    for (const [at, requestId] of requestIds.entries()) {
      const request = readRequest({ ...target, token: tokens[at]! }, statusPath(family, requestId));
      for (;;) {
        const { status, body } = await connection.send(request);
        if (status !== 200) throw new Error(`a read was answered ${status}: ${body}`);
        const record = JSON.parse(body) as { status: string; reason: string | null };
        if (record.status === 'succeeded') break;
        if (record.status === 'failed')
          throw new Error(`an upload failed: ${String(record.reason)}`);
        if (Date.now() > until) throw new Error(`${requestId} is still ${record.status}`);
        await sleep(POLL_MS);
      }
    }
  });
}

/** Runs the same work on `count` connections at once. */
export async function onConnections(
  port: number,
  count: number,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connections = await Promise.all(Array.from({ length: count }, () => Connection.open(port)));
  try {
    await Promise.all(connections.map(work));
  } finally {
    for (const connection of connections) connection.close();
  }
}
