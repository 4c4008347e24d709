import { randomBytes } from 'node:crypto';

import { pino } from 'pino';

import type { Config } from '../../src/config/config.js';
import { readConfig } from '../../src/config/read-config.js';
import { dayInTimeZone } from '../../src/domain/days.js';
import { v7 as uuidv7 } from 'uuid';
import { uploaded } from '../../src/status/transition.js';
import { transitionRecord } from '../../src/status/publisher.js';
import { VersionClock } from '../../src/domain/version.js';
import { ChunkBuffers, Chunker } from '../../src/gateway/create/receive/chunker.js';
import { TimedLog } from '../../src/gateway/create/timed-log.js';
import { UploadWriter } from '../../src/gateway/create/receive/upload-writer.js';
import { FormattedLog } from '../../src/log/formatted-log.js';
import type { UploadIdentity } from '../../src/log/uploads/upload-records.js';
import { configuredKafkaLog } from '../../src/log/kafka/configured.js';
import type { KafkaLog } from '../../src/log/kafka/kafka-log.js';

/** Uploads that send a chunk at the same time. The log applies backpressure above 48 MiB. */
const AT_ONCE = 128;

interface OpenUpload {
  readonly identity: UploadIdentity;
  readonly writer: UploadWriter;
}

/**
 * Writes uploads of the same file to the log, as a gateway does for many slow clients: a chunk of
 * each, then the next chunk of each, and the ends on request.
 */
export class OpenUploads {
  private readonly clock = new VersionClock(Date.now, () => randomBytes(8).readBigUInt64LE());
  private readonly uploads: OpenUpload[] = [];
  /** Buffers come back here and are not reused, because one chunk is written for every upload. */
  private readonly buffers = new ChunkBuffers();

  private constructor(
    private readonly kafka: KafkaLog,
    private readonly log: TimedLog,
  ) {}

  /** @param env has the addresses of the brokers */
  static async connect(env: Readonly<Record<string, string>>): Promise<OpenUploads> {
    const config: Config = readConfig({ ...env, LOG_TIMEOUT_SECONDS: '60' });
    const kafka = await configuredKafkaLog(config.kafka!, config.limits, pino({ level: 'silent' }));
    await kafka.ready(new AbortController().signal);
    return new OpenUploads(kafka, new TimedLog(new FormattedLog(kafka), config));
  }

  /** Writes every chunk of every upload. Each upload has its own account. */
  async begin(uploads: number, file: Buffer): Promise<void> {
    for (let i = 0; i < uploads; i++) {
      const requestId = uuidv7({ msecs: Date.now() });
      const identity = { requestId, account: `account-${i}`, family: 'cost' } as const;
      const writer = new UploadWriter(this.log, this.buffers, identity, () => undefined);
      this.uploads.push({ identity, writer });
    }
    for (const chunk of chunksOf(file)) {
      await this.each(async ({ writer }) => {
        await writer.room();
        writer.chunk(chunk);
        await writer.acknowledged();
      });
    }
  }

  async end(): Promise<void> {
    await this.each(async ({ identity, writer }) => {
      const acceptedAt = Date.now();
      const version = this.clock.next().toString();
      const end = {
        ...(await writer.acknowledged()),
        acceptedAt,
        version,
        finding: null,
        requestDay: dayInTimeZone(acceptedAt, 'UTC'),
        integratedChannels: [],
      };
      const { bytes } = end;
      const upload = { ...identity, version, sentMax: version, bytes, actor: 'benchmark' };
      await writer.end(end, undefined, transitionRecord(uploaded(upload, acceptedAt)));
    });
  }

  async close(): Promise<void> {
    await this.kafka.close();
  }

  private async each(work: (upload: OpenUpload) => Promise<void>): Promise<void> {
    for (let from = 0; from < this.uploads.length; from += AT_ONCE) {
      await Promise.all(this.uploads.slice(from, from + AT_ONCE).map(work));
    }
  }
}

function chunksOf(file: Buffer): Buffer<ArrayBuffer>[] {
  const chunker = new Chunker(new ChunkBuffers());
  const chunks: Buffer<ArrayBuffer>[] = [];
  for (let from = 0; from < file.length;) {
    from += chunker.fill(file, from);
    if (chunker.isFull) chunks.push(chunker.cut());
  }
  if (!chunker.isEmpty) chunks.push(chunker.rest());
  return chunks;
}
