/**
 * The gateway with its durable log, embedded or on Kafka, and nothing behind it: it accepts uploads,
 * and nothing processes them. It is built from the same parts as the service, except for a history
 * without requests, and started with the same settings (`src/main.ts`).
 */
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { TokenFile } from '../../src/accounts/token-lookup.js';
import { createToken } from '../../src/accounts/manage-tokens.js';
import type { Config } from '../../src/config/config.js';
import { logFolder } from '../../src/config/data-folder.js';
import { readConfig } from '../../src/config/read-config.js';
import type { UploadEnd } from '../../src/log/uploads/upload-records.js';
import { createApi } from '../../src/gateway/api.js';
import type { GatewayDependencies } from '../../src/gateway/dependencies.js';
import { GatewayModule } from '../../src/gateway/gateway.module.js';
import { PreviewThread } from '../../src/preview/preview-thread.js';
import { Previewer } from '../../src/preview/previewer.js';
import { configuredKafkaLog } from '../../src/log/kafka/configured.js';
import { LmdbLog } from '../../src/log/lmdb/lmdb-log.js';
import type { UploadLog } from '../../src/log/upload-log.js';
import { setUpRuntime } from '../../src/service/runtime.js';
import { createLogger, type Logger } from '../../src/ops/logger.js';
import { startRequestReader } from '../../src/status/request-reader.js';
import { SqlRequestStore } from '../../src/status/sql-request-store.js';
import { migrate } from '../../src/warehouse/schema/migrate.js';
import type { Warehouse } from '../../src/warehouse/warehouse.js';
import { ACCOUNT } from '../service/service.js';
import { obey } from '../process/commands.js';
import type { Target } from '../load/requests.js';

const noWarehouse: Warehouse = {
  execute: () => Promise.resolve(),
  insert: () => Promise.resolve(),
  query: () => Promise.resolve([]),
  lookUp: () => Promise.resolve([]),
  close: () => Promise.resolve(),
};

export interface GatewayOptions {
  readonly folder: string;
  /** More variables of the environment. KAFKA_BROKERS chooses Kafka. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether there is an empty warehouse, so that files can be previewed. */
  readonly hasPreviews?: boolean;
}

setUpRuntime();

let log: UploadLog;
/** By partition: where the log ended before this program. */
let begins: readonly number[];

const commands = {
  async start({ folder, env, hasPreviews }: GatewayOptions): Promise<Target> {
    mkdirSync(folder, { recursive: true });
    const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'warn', ...env });
    const logger = createLogger(config.logLevel);
    const { limits } = config;
    log = await openLog(config, logger);
    begins = await log.endOffsets('uploads');
    const requests = new SqlRequestStore(noWarehouse, config.clickhouseDatabase);
    const { reader, clock } = await startRequestReader({
      log,
      requests,
      viewBytes: 100_000,
      timeoutMs: limits.logTimeoutMs,
      components: { add: () => undefined },
    });
    const newToken = { account: ACCOUNT, role: 'owner', timeZone: 'UTC' } as const;
    const { token } = await createToken(join(folder, 'tokens.json'), newToken);
    const tokens = await TokenFile.open(config.tokensFile, logger);
    const previewer =
      hasPreviews === true
        ? await previewerIn(folder, config, logger)
        : { preview: () => Promise.reject(new Error('no warehouse')) };
    const dependencies: GatewayDependencies = {
      log,
      tokens,
      lookup: reader,
      fence: reader,
      erased: { covers: () => false },
      clock,
      previewer,
      config,
      logger,
    };
    const api = await createApi(GatewayModule.register(dependencies), dependencies);
    await api.listen(0, '127.0.0.1');
    const { port } = api.getHttpServer().address() as AddressInfo;
    return { port, token };
  },

  /** Collects garbage, so that the memory before a measurement is only what is needed. */
  collect: (): void => globalThis.gc?.(),

  ping: (): boolean => true,

  /** Bytes of all files accepted so far, according to their end records. */
  async bytes(): Promise<number> {
    let bytes = 0;
    const ends = await log.endOffsets('uploads');
    for (const [partition, end] of ends.entries()) {
      for await (const records of log.read('uploads', partition, begins[partition] ?? 0, end)) {
        for (const { headers, value } of records) {
          if (headers['type'] !== 'end') continue;
          bytes += (JSON.parse(value.toString()) as UploadEnd).bytes;
        }
      }
    }
    return bytes;
  },
};

export type GatewayCommands = typeof commands;

async function previewerIn(folder: string, config: Config, logger: Logger): Promise<Previewer> {
  // Only here: other benchmarks measure the memory of a gateway that has no engine.
  const { ChdbWarehouse } = await import('../../src/warehouse/chdb/chdb-warehouse.js');
  const database = config.clickhouseDatabase;
  const warehouse = await ChdbWarehouse.open(folder, database);
  await migrate(warehouse, database);
  const thread = new PreviewThread();
  const check = thread.check.bind(thread);
  return new Previewer(check, {
    ...{ warehouse, database, logger },
    erasedUpTo: () => 0n,
    thresholds: config.warnings,
  });
}

async function openLog(config: Config, logger: Logger): Promise<UploadLog> {
  const { kafka, dataDir, limits } = config;
  if (kafka === undefined) {
    return LmdbLog.open({
      dir: logFolder(dataDir),
      retentionMs: limits.logRetentionMs,
      timeoutMs: limits.logTimeoutMs,
    });
  }
  const opened = await configuredKafkaLog(kafka, limits, logger);
  await opened.ready(new AbortController().signal);
  return opened;
}

obey(commands);
