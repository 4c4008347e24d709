/**
 * The usual design of such a pipeline: HTTP → fast-csv rows → one log record per row → consumer →
 * class-validator → JSONEachRow batches into the engine. The log is the service's own, with many
 * records per append. The table is flat, and synced to disk like the service's tables.
 *
 * The client gets its answer when all rows of its file are durable in the log.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import busboy from 'busboy';
import { Session } from 'chdb';
import { parse } from 'fast-csv';

import { requireEqual, type Totals, TOTALS_SQL } from '../load/totals.js';
import { LmdbLog } from '../../src/log/lmdb/lmdb-log.js';
import type { LogRecord, RecordHandler, RecordToAppend } from '../../src/log/upload-log.js';
import { obey } from '../process/commands.js';
import { flatTable, TRIED } from './flat-columns.js';
import { answerWith } from './http-answer.js';
import { listen } from './listen.js';
import { validated } from './literal-row.js';

/** Records per append. */
const APPEND_RECORDS = 1_000;
/** Rows per insert, and how long they may wait for more. */
const INSERT_ROWS = 50_000;
const INSERT_MS = 50;

let log: LmdbLog;
let session: Session;

const commands = {
  /** @returns the port */
  async start({ folder }: { folder: string }): Promise<number> {
    session = new Session(join(folder, 'warehouse'));
    await session.queryAsync(`CREATE TABLE stored ${flatTable('cost', TRIED.plain)}`);
    log = LmdbLog.open({ dir: join(folder, 'log'), retentionMs: 3_600_000, timeoutMs: 60_000 });
    consumer.consumption = await log.consume('uploads', 'literal', consumer);
    return listen(createServer(handle));
  },

  async requireTotals(expected: Totals): Promise<void> {
    const result = await session.queryAsync(
      `SELECT ${TOTALS_SQL} FROM stored SETTINGS output_format_json_quote_64bit_integers = 0`,
      { format: 'JSONEachRow' },
    );
    requireEqual('the literal pipeline', JSON.parse(result.text()) as Totals, expected);
  },
};

export type LiteralPipelineCommands = typeof commands;

function handle(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'GET') {
    answerWith(response, 200, String(consumer.stored));
    return;
  }
  const form = busboy({ headers: request.headers });
  form.on('file', (_name, file) => {
    append(file).then(
      () => {
        answerWith(response, 201, JSON.stringify({ requestId: 'none' }));
      },
      (error: unknown) => {
        answerWith(response, 500, String(error));
      },
    );
  });
  request.pipe(form);
}

async function append(file: NodeJS.ReadableStream): Promise<void> {
  const appends: Promise<unknown>[] = [];
  let records: RecordToAppend[] = [];
  const flush = (): void => {
    if (records.length > 0) appends.push(log.append('uploads', records));
    records = [];
  };
  const rows = file.pipe(parse({ headers: true }));
  for await (const row of rows as AsyncIterable<Record<string, string>>) {
    const value = Buffer.from(JSON.stringify(row));
    records.push({ key: row['campaign']!, headers: {}, value });
    if (records.length === APPEND_RECORDS) flush();
  }
  flush();
  await Promise.all(appends);
}

/** Validates record by record, and inserts one batch while it validates the next records. */
class Consumer implements RecordHandler {
  consumption: Awaited<ReturnType<LmdbLog['consume']>> | undefined;
  /** Rows that the engine has acknowledged. */
  stored = 0;
  private lines: string[] = [];
  private inserting: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  assigned(): void {
    this.stored = 0;
  }

  revoked(): void {
    clearTimeout(this.timer);
  }

  async records(partition: number, records: readonly LogRecord[]): Promise<void> {
    for (const { value } of records) {
      const row = validated(JSON.parse(value.toString()) as Record<string, string>);
      this.lines.push(JSON.stringify(row));
    }
    const offset = records.at(-1)!.offset + 1;
    clearTimeout(this.timer);
    if (this.lines.length >= INSERT_ROWS) {
      await this.inserting;
      this.insert(partition, offset);
    } else {
      this.timer = setTimeout(() => {
        this.insert(partition, offset);
      }, INSERT_MS);
    }
  }

  private insert(partition: number, offset: number): void {
    const { lines } = this;
    this.lines = [];
    this.inserting = this.inserting.then(async () => {
      const values = Buffer.from(lines.join('\n'));
      const settings = { async_insert: 0 };
      await session.insert({ table: 'stored', values, format: 'JSONEachRow', settings });
      await this.consumption!.commit(partition, offset);
      this.stored += lines.length;
    });
  }
}

const consumer = new Consumer();

obey(commands);
