/**
 * The load generator, in a separate process. It prepares its requests before it sends them, and
 * reports how much of a core it used.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { obey } from '../process/commands.js';
import { Connection } from './connection.js';
import { loadOf, type LoadSpec } from './load.js';
import { createRequest, readRequest, statusPath, type Target } from './requests.js';
import { allSucceeded, onConnections, type Posted, postAll, type Posting } from './sending.js';
import type { Totals } from './totals.js';

/** The totals of a load. */
export interface Prepared {
  readonly files: number;
  readonly bytes: number;
  readonly sent: Totals;
  readonly kept: Totals;
}

/** How long some work took, and the processor time that the generator used for it. */
export interface Timed<T> {
  readonly result: T;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

export interface Reading {
  readonly target: Target;
  readonly paths: readonly string[];
  readonly concurrency: number;
  readonly seconds: number;
  /** The text that every answer must contain. */
  readonly expected: string;
}

export interface Trickle {
  readonly target: Target;
  readonly load: LoadSpec;
  /** Time from the start of one upload to the start of the next. */
  readonly everyMs: number;
}

/** Enough that no file waits for a connection. */
const PACED_CONNECTIONS = 16;

export interface Pace {
  readonly target: Target;
  readonly load: LoadSpec;
  readonly tokens: readonly string[];
  readonly filesPerSecond: number;
  readonly seconds: number;
}

const commands = {
  prepare(load: LoadSpec): Prepared {
    const { files, sent, kept } = loadOf(load);
    return {
      files: files.length,
      bytes: files.reduce((sum, { length }) => sum + length, 0),
      sent,
      kept,
    };
  },

  /** Runs until the last file is answered. */
  post: (posting: Posting): Promise<Timed<Posted>> => timed(() => postAll(posting)),

  /** Runs until the last row of the last file is visible. */
  upload: (posting: Posting): Promise<Timed<Posted>> =>
    timed(async () => {
      const posted = await postAll(posting);
      await allSucceeded(posting.target, posting.load.family, posted);
      return posted;
    }),

  /** Runs until a program that counts its stored rows has stored all of them. */
  async uploadToCounter(posting: Posting & { readonly rows: number }): Promise<Timed<Posted>> {
    return timed(async () => {
      const posted = await postAll(posting);
      const request = readRequest(posting.target, '/stored');
      await onConnections(posting.target.port, 1, async (connection) => {
        while (Number((await connection.send(request)).body) < posting.rows) await sleep(3);
      });
      return posted;
    });
  },

  /** Reads repeatedly for a time. Returns the number of reads. */
  read({ target, paths, concurrency, seconds, expected }: Reading): Promise<Timed<number>> {
    const requests = paths.map((path) => readRequest(target, path));
    return timed(async () => {
      const until = performance.now() + seconds * 1000;
      let reads = 0;
      await onConnections(target.port, concurrency, async (connection) => {
        while (performance.now() < until) {
          const { status, body } = await connection.send(requests[reads++ % requests.length]!);
          if (status !== 200 || !body.includes(expected)) {
            throw new Error(`a read was answered ${status}: ${body}`);
          }
        }
      });
      return reads;
    });
  },

  /** Sends files at a steady rate. Returns the rate that was reached. */
  async pace({ target, load, tokens, filesPerSecond, seconds }: Pace): Promise<number> {
    const requests = tokens.flatMap((token) =>
      loadOf(load).files.map((file) => createRequest({ ...target, token }, load.family, file)),
    );
    const began = performance.now();
    const until = began + seconds * 1_000;
    let next = 0;
    await onConnections(target.port, PACED_CONNECTIONS, async (connection) => {
      while (performance.now() < until) {
        const at = next++;
        await sleep(Math.max(0, began + (at * 1_000) / filesPerSecond - performance.now()));
        const { status, body } = await connection.send(...requests[at % requests.length]!);
        if (status !== 201) throw new Error(`a create was answered ${status}: ${body}`);
      }
    });
    return next / ((performance.now() - began) / 1_000);
  },

  /** Sends uploads one by one, with pauses. Returns milliseconds from first byte to `succeeded`. */
  async trickle({ target, load, everyMs }: Trickle): Promise<readonly number[]> {
    const requests = loadOf(load).files.map((file) => createRequest(target, load.family, file));
    const took: number[] = [];
    const connection = await Connection.open(target.port);
    for (const request of requests) {
      const from = performance.now();
      const { status, body } = await connection.send(...request);
      if (status !== 201) throw new Error(`a create was answered ${status}: ${body}`);
      const { requestId } = JSON.parse(body) as { requestId: string };
      const read = readRequest(target, statusPath(load.family, requestId));
      for (;;) {
        const record = JSON.parse((await connection.send(read)).body) as { status: string };
        if (record.status === 'succeeded') break;
        if (record.status === 'failed') throw new Error('an upload failed');
        await sleep(3);
      }
      const milliseconds = performance.now() - from;
      took.push(milliseconds);
      await sleep(Math.max(0, everyMs - milliseconds));
    }
    connection.close();
    return took;
  },
};

export type GeneratorCommands = typeof commands;

async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const cpu = process.cpuUsage();
  const from = performance.now();
  const result = await work();
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { result, seconds, cpuSeconds: (user + system) / 1e6 };
}

obey(commands);
