import { createHash, type Hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { Transition } from '../../status/transition.js';
import type { Logger } from '../../ops/logger.js';
import { stageDuration, uploadBytes } from '../../ops/metrics.js';
import { beginSpan, endSpan, SpanKind, traceParentOf } from '../../ops/tracing.js';
import { acceptedCall, type ApiRequest } from '../http/call.js';
import { GATEWAY_CONFIG, LOGGER, type GatewayConfig } from '../dependencies.js';
import { idempotencyKey } from './idempotency/idempotency-key.js';
import { ClientGoneError, Problem, tooLarge } from '../http/problem.js';
import { Acceptance } from './acceptance.js';
import { admit, declaredLength, UploadsInFlight } from './uploads-in-flight.js';
import { ChunkBuffers, Chunker } from './receive/chunker.js';
import { readFilePart, Patience } from './receive/file-part.js';
import { MAX_FILE_BYTES, MAX_UNPACKED_COST_BYTES } from '../../domain/upload-limits.js';
import { TimedLog } from './timed-log.js';
import { checkBusboy } from './receive/strict-form.js';
import { Unpacker } from './receive/unpacker.js';
import { UploadWriter, type UploadIdentity } from './receive/upload-writer.js';

/** The create operation: streams a request's file into the log and accepts it. */
@Injectable()
export class CreateUpload {
  private readonly buffers = new ChunkBuffers();

  constructor(
    @Inject(TimedLog) private readonly log: TimedLog,
    @Inject(Acceptance) private readonly acceptance: Acceptance,
    @Inject(UploadsInFlight) private readonly inFlight: UploadsInFlight,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    checkBusboy();
  }

  /**
   * Resolves when the upload is accepted, or when it repeats one that was, with that one.
   *
   * @throws Problem
   * @throws LogUnavailableError whether the upload is accepted is unknown then
   * @throws ClientGoneError
   */
  async run(request: ApiRequest, response: ServerResponse): Promise<Transition> {
    const { family, holder } = acceptedCall(request);
    admit(request.headers);
    const key = idempotencyKey(request);
    const startedAt = performance.now();
    const span = beginSpan('create', SpanKind.SERVER, traceParentIn(request), { family });
    const requestId = uuidv7();
    const identity: UploadIdentity = { requestId, account: holder.account, family };
    const stopping = new AbortController();
    const writer = new UploadWriter(this.log, this.buffers, identity, (error) => {
      stopping.abort(error);
    });
    const finished = this.inFlight.begin();
    let outcome = 'accepted';
    try {
      const caughtUp = this.acceptance.catchUp();
      if (request.awaitsContinue === true) {
        request.awaitsContinue = false;
        response.writeContinue();
      }
      const hash = key === undefined ? undefined : createHash('sha256').update(`${family}\n`);
      const finding = await this.receive(request, writer, stopping, identity, hash);
      if (finding !== null) outcome = 'accepted with a finding';
      const { tokenId: actor, timeZone } = holder;
      const keyed =
        key === undefined || hash === undefined
          ? undefined
          : { key, digest: hash.digest('base64url') };
      const traceparent = traceParentOf(span);
      const file = { identity, actor, timeZone, finding, caughtUp, keyed, traceparent };
      const transition = await this.acceptance.accept(file, writer);
      if (transition.requestId === requestId) uploadBytes.inc({ family }, writer.bytes);
      else outcome = 'repeated';
      return transition;
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      // Not awaited: the client need not wait until the log has been told.
      void writer.abort().finally(finished);
      span.setAttributes({ requestId, bytes: writer.bytes, outcome });
      endSpan(span, outcome === 'not confirmed' ? outcome : undefined);
      const milliseconds = Math.round(performance.now() - startedAt);
      stageDuration.observe({ stage: 'receive' }, milliseconds / 1000);
      this.logger.info(
        { requestId, account: holder.account, family, bytes: writer.bytes, outcome, milliseconds },
        'create',
      );
    }
  }

  /** Moves the file's bytes from the request into chunks; what is wrong with the file as a whole. */
  private async receive(
    request: ApiRequest,
    writer: UploadWriter,
    stopping: AbortController,
    { family }: UploadIdentity,
    hash: Hash | undefined,
  ): Promise<string | null> {
    const { limits } = this.config;
    const chunker = new Chunker(this.buffers, declaredLength(request.headers));
    const unpacker = new Unpacker(
      family === 'cost' ? MAX_UNPACKED_COST_BYTES : limits.unpackedBytes,
      async (bytes) => {
        for (let from = 0; from < bytes.length;) {
          from += chunker.fill(bytes, from);
          if (!chunker.isFull) continue;
          // Cut only when there is room: a cut begins the next buffer.
          await writer.room();
          writer.chunk(chunker.cut());
        }
      },
    );
    const patience = new Patience(limits.uploadDeadlineMs, (reason) => {
      stopping.abort(reason);
    });
    try {
      await readFilePart(request, stopping.signal, patience, async (file) => {
        let bytes = 0;
        for await (const piece of file as AsyncIterable<Buffer>) {
          bytes += piece.length;
          if (bytes > MAX_FILE_BYTES) throw tooLarge();
          hash?.update(piece);
          await unpacker.write(piece);
        }
        await unpacker.end();
      });
    } finally {
      patience.stop();
      unpacker.destroy();
    }
    // Of a file with a finding nothing will be read, so the rest need not be kept.
    if (unpacker.finding === null && !chunker.isEmpty) writer.lastChunk(chunker.rest());
    return unpacker.finding;
  }
}

function traceParentIn({ headers }: ApiRequest): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : undefined;
}

function outcomeOf(error: unknown): string {
  if (error instanceof Problem) return `refused ${error.status}`;
  return error instanceof ClientGoneError ? 'client gone' : 'not confirmed';
}
