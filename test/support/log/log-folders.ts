import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbLog, type LmdbLogOptions } from '../../../src/log/lmdb/lmdb-log.js';
import {
  type LogRecord,
  LogUnavailableError,
  type RecordHandler,
  type RecordToAppend,
  type UploadLog,
} from '../../../src/log/upload-log.js';

/** Folders and logs of one test. `cleanUp` removes all of them. */
export class LogFolders {
  private readonly folders: string[] = [];
  private readonly logs: LmdbLog[] = [];

  async folder(): Promise<string> {
    const dir = await mkdtemp(join(tmpdir(), 'custom-data-log-'));
    this.folders.push(dir);
    return dir;
  }

  /** Opens a log in a new folder, unless `options.dir` is given. */
  async open(options: Partial<LmdbLogOptions> = {}): Promise<LmdbLog> {
    const dir = options.dir ?? (await this.folder());
    const log = LmdbLog.open({ retentionMs: 60_000, timeoutMs: 10_000, ...options, dir });
    this.logs.push(log);
    return log;
  }

  async cleanUp(): Promise<void> {
    for (const log of this.logs.splice(0)) await log.close();
    for (const dir of this.folders.splice(0)) await rm(dir, { recursive: true, force: true });
  }
}

/** Lets the log answer as Kafka does while a partition has no leader. */
export function takeLeader(log: UploadLog, partition: number): void {
  const ends = log.endOffsets.bind(log);
  const refuse = (): Promise<never> => Promise.reject(new LogUnavailableError('no leader'));
  log.endOffsets = refuse;
  log.endOffset = async (topic, asked) =>
    asked === partition ? refuse() : ((await ends(topic))[asked] ?? 0);
}

export function record(value: string | Uint8Array, fields: Partial<RecordToAppend> = {}) {
  return { key: 'key', headers: {}, value: Buffer.from(value), ...fields } satisfies RecordToAppend;
}

export function texts(records: readonly LogRecord[]): string[] {
  return records.map(({ value }) => value.toString());
}

export async function readAll(
  log: LmdbLog,
  topic: Parameters<LmdbLog['read']>[0],
  partition = 0,
): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  for await (const batch of log.read(topic, partition, 0, Infinity)) all.push(...batch);
  return all;
}

/** Keeps the assignments and records that it gets. */
export class Collector implements RecordHandler {
  readonly seen: LogRecord[] = [];
  readonly assignments: [partition: number, offset: number][] = [];

  assigned(partition: number, offset: number): void {
    this.assignments.push([partition, offset]);
  }

  revoked(partition: number): void {
    throw new Error(`partition ${partition} was revoked`);
  }

  records(_partition: number, records: readonly LogRecord[]): Promise<void> {
    this.seen.push(...records);
    return Promise.resolve();
  }
}
