import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { drainPending, Session } from 'chdb';

import type { Limits } from '../../../src/config/config.js';
import { createLogger } from '../../../src/ops/logger.js';
import { createQueryServer } from '../../../src/query/server.js';

export interface TestQueryServer {
  readonly url: string;
  readonly port: number;
  /** A folder that queries must not reach. */
  readonly outside: string;
  /** The session that writes. */
  readonly writer: Session;
  close(): Promise<void>;
}

export const ROWS = 100_000;

/** Opens the query interface of a new engine with the table `custom_data.t` of `ROWS` rows. */
export async function openQueryServer(
  limits: Partial<Pick<Limits, 'queryConcurrency' | 'queryTimeoutMs' | 'queryMemoryBytes'>> = {},
): Promise<TestQueryServer> {
  const folder = await mkdtemp(join(tmpdir(), 'custom-data-query-test-'));
  const path = join(folder, 'warehouse');
  const writer = new Session(path);
  writer.query('CREATE DATABASE custom_data');
  writer.query(
    'CREATE TABLE custom_data.t (id UInt64, name LowCardinality(String), day Date) ' +
      'ENGINE = MergeTree ORDER BY id',
  );
  writer.query(
    `INSERT INTO custom_data.t SELECT number, concat('name ', number % 7), '2024-01-01' FROM numbers(${ROWS})`,
  );
  const server = createQueryServer({
    path,
    database: 'custom_data',
    limits: {
      queryConcurrency: 4,
      queryTimeoutMs: 20_000,
      queryMemoryBytes: 1_073_741_824,
      ...limits,
    },
    logger: createLogger('silent'),
  });
  const port = await server.listen(0, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    outside: folder,
    writer,
    async close() {
      await server.close();
      writer.close();
      await drainPending();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Sends a query as curl does with --data-binary, and reads the whole answer. */
export async function ask(
  url: string,
  query: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const search = new URLSearchParams(parameters).toString();
  const response = await fetch(`${url}/?${search}`, { method: 'POST', body: query });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
