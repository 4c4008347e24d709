import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import type { TokenHolder } from '../../../src/accounts/account.js';
import { readConfig } from '../../../src/config/read-config.js';
import type { LookupResult, RequestLookup } from '../../../src/status/request-lookup.js';
import type { Transition } from '../../../src/status/transition.js';
import type { UploadEnd } from '../../../src/log/uploads/upload-records.js';
import { VersionClock } from '../../../src/domain/version.js';
import { createApi } from '../../../src/gateway/api.js';
import type { GatewayDependencies, GatewayConfig } from '../../../src/gateway/dependencies.js';
import { GatewayModule } from '../../../src/gateway/gateway.module.js';
import { PreviewUnavailableError } from '../../../src/preview/previewer.js';
import type { LogRecord } from '../../../src/log/upload-log.js';
import { Watches } from '../../../src/status/status-view.js';
import { MemoryLog } from './memory-log.js';

export const OWNER = 'owner-token';
const HOLDERS: Readonly<Record<string, TokenHolder>> = {
  [OWNER]: { tokenId: 't1', account: 'acme', role: 'owner', timeZone: 'UTC' },
  'marketer-token': { tokenId: 't2', account: 'acme', role: 'in_house_marketer', timeZone: 'UTC' },
  'agency-token': { tokenId: 't3', account: 'acme', role: 'agency', timeZone: 'UTC' },
  'viewer-token': { tokenId: 't4', account: 'acme', role: 'viewer', timeZone: 'UTC' },
  'media-token': { tokenId: 't5', account: 'acme', role: 'media_company', timeZone: 'UTC' },
  'other-token': { tokenId: 't6', account: 'other', role: 'owner', timeZone: 'UTC' },
  'seoul-token': { tokenId: 't7', account: 'seoul', role: 'owner', timeZone: 'Asia/Seoul' },
};

export class MemoryLookup implements RequestLookup {
  isAvailable = true;
  readonly known = new Map<string, Transition>();
  private readonly watches = new Watches();

  find(requestId: string): Promise<LookupResult> {
    return Promise.resolve(
      this.isAvailable ? (this.known.get(requestId) ?? 'unknown') : 'unavailable',
    );
  }

  remember(transition: Transition): void {
    this.known.set(transition.requestId, transition);
    this.watches.tell(transition);
  }

  watch(
    requestId: string,
    known: Transition | undefined,
    changed: (transition: Transition) => void,
  ): () => void {
    return this.watches.add(requestId, known, changed);
  }
}

export interface Gateway {
  readonly app: NestExpressApplication;
  readonly port: number;
  readonly url: string;
  readonly log: MemoryLog;
  readonly lookup: MemoryLookup;
  readonly clock: VersionClock;
  /** Replace to make the fence wait or fail. */
  readonly fence: { caughtUp: () => Promise<void> };
  /** Replace to make previews. */
  readonly previewer: { preview: GatewayDependencies['previewer']['preview'] };
  /** Versions of erasures, by account. */
  readonly erased: Map<string, bigint>;
  /** The lines logged so far, parsed. */
  readonly lines: Record<string, unknown>[];
  close(): Promise<void>;
}

export async function startGateway(
  limits: Partial<GatewayConfig['limits']> = {},
): Promise<Gateway> {
  const config: GatewayConfig = {
    integratedChannels: ['integrated.one'],
    limits: {
      ...readConfig({}).limits,
      unpackedBytes: 32 * 1024 * 1024,
      uploadDeadlineMs: 20_000,
      logTimeoutMs: 5_000,
      uploadsPerMinute: undefined,
      readsPerMinute: undefined,
      shutdownMs: 3_000,
      ...limits,
    },
  };
  const log = new MemoryLog();
  const lookup = new MemoryLookup();
  const clock = new VersionClock(
    () => Date.now(),
    () => randomBytes(8).readBigUInt64BE(),
  );
  const fence = { caughtUp: () => Promise.resolve() };
  const erased = new Map<string, bigint>();
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { level: 'debug', base: null },
    { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const previewer: Gateway['previewer'] = {
    preview: () => Promise.reject(new PreviewUnavailableError('no warehouse')),
  };
  const dependencies: GatewayDependencies = {
    log,
    tokens: { holderOf: (token) => HOLDERS[token] },
    lookup,
    fence: { caughtUp: () => fence.caughtUp() },
    erased: { covers: (account, version) => version <= (erased.get(account) ?? -1n) },
    clock,
    previewer: { preview: (file, signal) => previewer.preview(file, signal) },
    config,
    logger,
  };
  const app = await createApi(GatewayModule.register(dependencies), dependencies);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/custom-data-upload/v1.0`;
  const close = (): Promise<void> => app.close();
  return { app, port, url, log, lookup, clock, fence, previewer, erased, lines, close };
}

/** The records of one upload. */
export interface StoredUpload {
  readonly chunks: readonly LogRecord[];
  readonly content: Buffer;
  readonly end: UploadEnd | undefined;
  readonly endRecord: LogRecord | undefined;
  readonly aborts: number;
}

export function storedUpload(log: MemoryLog, requestId?: string): StoredUpload {
  const records = log
    .records('uploads')
    .filter((record) => requestId === undefined || record.key === requestId);
  const chunks = records
    .filter((record) => record.headers['type'] === 'chunk')
    .sort((a, b) => Number(a.headers['sequence']) - Number(b.headers['sequence']));
  const endRecord = records.find((record) => record.headers['type'] === 'end');
  return {
    chunks,
    content: Buffer.concat(chunks.map((chunk) => chunk.value)),
    end:
      endRecord === undefined ? undefined : (JSON.parse(endRecord.value.toString()) as UploadEnd),
    endRecord,
    aborts: records.filter((record) => record.headers['type'] === 'abort').length,
  };
}

/** Waits until `holds` returns true, for effects that follow an answer. */
export async function eventually(holds: () => boolean, timeoutMs = 20_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
