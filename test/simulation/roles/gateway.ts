import { randomBytes } from 'node:crypto';

import type { FamilyName } from '../../../src/domain/families/index.js';
import { v7 as uuidv7 } from 'uuid';
import type { RequestLookup } from '../../../src/status/request-lookup.js';
import type { Transition } from '../../../src/status/transition.js';
import { lookupWithoutErased } from '../../../src/operator/erasure/erased-accounts.js';
import { Acceptance } from '../../../src/gateway/create/acceptance.js';
import { ChunkBuffers, Chunker } from '../../../src/gateway/create/receive/chunker.js';
import { RetentionGuard } from '../../../src/gateway/create/retention-guard.js';
import { TimedLog } from '../../../src/gateway/create/timed-log.js';
import { UploadWriter } from '../../../src/gateway/create/receive/upload-writer.js';
import { Claims } from '../../../src/gateway/create/idempotency/claims.js';
import {
  Idempotency,
  type KeyedFile,
} from '../../../src/gateway/create/idempotency/idempotency.js';
import { startRequestReader } from '../../../src/status/request-reader.js';
import type { Body } from './body.js';
import { followErasures, type Role, type RoleDependencies } from './role.js';

export interface Upload {
  readonly account: string;
  readonly family: FamilyName;
  readonly body: Body;
  /** What is wrong with the file as a whole. */
  readonly finding: string | null;
  readonly keyed: KeyedFile | undefined;
  /** Called as soon as the upload has an id. */
  readonly begun: (requestId: string) => void;
}

/** The part of a gateway between reading a request and answering it. */
export interface Gateway extends Role {
  readonly lookup: RequestLookup;
  /** Does the same as `CreateController`. */
  create(upload: Upload): Promise<Transition>;
}

/** Builds the gateway from the same parts as the service. */
export async function startGateway(
  dependencies: RoleDependencies,
  viewBytes: number,
): Promise<Gateway> {
  const { log, requests, config, logger } = dependencies;
  const { limits } = config;
  const erased = await followErasures(dependencies);
  const { reader, tail, clock } = await startRequestReader({
    log,
    requests,
    viewBytes,
    timeoutMs: limits.logTimeoutMs,
    components: { add: () => undefined },
  });
  const guard = await RetentionGuard.start(
    { log, retentionMs: limits.logRetentionMs, logger },
    reader,
  );
  const lookup = lookupWithoutErased(reader, erased);
  const timedLog = new TimedLog(log, config);
  const claims = new Claims(log, timedLog, config);
  const idempotency = new Idempotency(claims, log, timedLog, lookup, erased, clock, config);
  const acceptance = new Acceptance(guard, clock, lookup, erased, idempotency, config);
  const buffers = new ChunkBuffers();
  return {
    failed: Promise.race([guard.failed, tail.failed, erased.failed]),
    lookup,
    create: (upload) => create(upload, timedLog, buffers, acceptance),
    stop: async () => {
      guard.stop();
      await claims.onApplicationShutdown();
      await tail.stop();
      await erased.stop();
    },
  };
}

async function create(
  { account, family, body, finding, keyed, begun }: Upload,
  log: TimedLog,
  buffers: ChunkBuffers,
  acceptance: Acceptance,
): Promise<Transition> {
  const requestId = uuidv7({ msecs: Date.now(), random: randomBytes(16) });
  begun(requestId);
  const identity = { requestId, account, family };
  const writer = new UploadWriter(log, buffers, identity, (error) => {
    body.fail(error as Error);
  });
  try {
    const caughtUp = acceptance.catchUp();
    await receive(body, new Chunker(buffers), writer, finding !== null);
    const file = { identity, actor: 'token', timeZone: 'UTC', finding, caughtUp, keyed };
    return await acceptance.accept({ ...file, traceparent: undefined }, writer);
  } finally {
    void writer.abort();
  }
}

async function receive(
  body: Body,
  chunker: Chunker,
  writer: UploadWriter,
  hasFinding: boolean,
): Promise<void> {
  for await (const piece of body) {
    for (let from = 0; from < piece.length;) {
      from += chunker.fill(piece, from);
      if (!chunker.isFull) continue;
      await writer.room();
      writer.chunk(chunker.cut());
    }
  }
  if (!hasFinding && !chunker.isEmpty) writer.lastChunk(chunker.rest());
}
