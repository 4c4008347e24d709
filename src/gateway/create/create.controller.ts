import { createHash, type Hash } from 'node:crypto';
import { All, Controller, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { v7 as uuidv7 } from 'uuid';
import type { FamilyName } from '../../domain/families/index.js';
import { MAX_FILE_BYTES, MAX_UNPACKED_COST_BYTES } from '../../domain/upload-limits.js';
import { LogUnavailableError } from '../../log/upload-log.js';
import type { Logger } from '../../ops/logger.js';
import { stageDuration, uploadBytes } from '../../ops/metrics.js';
import { beginSpan, endSpan, SpanKind, traceParentOf } from '../../ops/tracing.js';
import { recordOf, type Transition } from '../../status/transition.js';
import { TokenGuard } from '../auth/token.guard.js';
import { GATEWAY_CONFIG, LOGGER, type GatewayConfig } from '../dependencies.js';
import {
  answerRecord,
  refuseMethod,
  requestPath,
  REQUESTS_ROUTE,
  sayContinue,
} from '../http/answer.js';
import { acceptedCall, type ApiRequest, OperationIs } from '../http/call.js';
import { OpenCreates } from '../http/graceful-shutdown.js';
import { ClientGoneError, Problem, tooLarge } from '../http/problem.js';
import { RateLimitGuard } from '../http/rate-limit.guard.js';
import { Acceptance } from './acceptance.js';
import { admit, declaredLength, idempotencyKey } from './admission.js';
import { ChunkBuffers, Chunker } from './receive/chunker.js';
import { readFilePart, SlowClientTimer } from './receive/file-part.js';
import { checkBusboy } from './receive/strict-form.js';
import { Unpacker } from './receive/unpacker.js';
import { UploadWriter } from './receive/upload-writer.js';
import { TimedLog } from './timed-log.js';

/** The create operation: streams a request's file into the log and accepts it. */
@Controller(REQUESTS_ROUTE)
export class CreateController {
  private readonly buffers = new ChunkBuffers();

  constructor(
    @Inject(TimedLog) private readonly log: TimedLog,
    @Inject(Acceptance) private readonly acceptance: Acceptance,
    @Inject(OpenCreates) private readonly openCreates: OpenCreates,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    checkBusboy();
  }

  /**
   * Answers 201 with the upload, or with the one that had the idempotency key before.
   *
   * @throws Problem
   * @throws LogUnavailableError whether the upload is accepted is then unknown
   * @throws ClientGoneError
   */
  @Post()
  @OperationIs('create')
  @UseGuards(TokenGuard, RateLimitGuard)
  async create(@Req() request: ApiRequest, @Res() response: Response): Promise<void> {
    // 1. What the headers forbid is refused before a byte of the body is read.
    const { family, holder } = acceptedCall(request);
    const { account, tokenId: actor, timeZone } = holder;
    admit(request.headers);
    const key = idempotencyKey(request);
    const finished = this.openCreates.begin();

    const startedAt = performance.now();
    const span = beginSpan('create', SpanKind.SERVER, request.get('traceparent'), { family });
    // Without the time given, ids stay ahead of a clock that has been set back.
    const requestId = uuidv7({ msecs: Date.now() });
    const identity = { requestId, account, family };
    const stopping = new AbortController();
    const writer = new UploadWriter(this.log, this.buffers, identity, (error) => {
      stopping.abort(error);
    });
    let outcome = 'accepted';
    let reason: string | undefined;
    let transition: Transition;
    try {
      // 2. Meanwhile this gateway learns the versions of all uploads that were accepted before.
      const caughtUp = this.acceptance.catchUp();
      sayContinue(request, response);
      // 3. The file, unpacked, goes to the log in chunks as it comes.
      const hash = key === undefined ? undefined : createHash('sha256').update(`${family}\n`);
      const finding = await this.receive(request, writer, stopping, family, hash);
      if (finding !== null) outcome = 'accepted with a finding';
      // 4. It gets a version; its last chunk, its end and `uploaded` go to the log.
      const keyed = key && hash ? { key, digest: hash.digest('base64url') } : undefined;
      const traceparent = traceParentOf(span);
      const file = { identity, actor, timeZone, finding, caughtUp, keyed, traceparent };
      transition = await this.acceptance.accept(file, writer);
      if (transition.requestId === requestId) uploadBytes.inc({ family }, writer.bytes);
      else outcome = 'repeated';
    } catch (error) {
      outcome = outcomeOf(error);
      // Other messages may have parts of the request in them.
      if (error instanceof LogUnavailableError) reason = error.message;
      throw error;
    } finally {
      // Not awaited: the client need not wait until the log has the abort.
      void writer.abort().finally(finished);
      const { bytes } = writer;
      span.setAttributes({ requestId, bytes, outcome });
      endSpan(span, outcome === 'not confirmed' ? outcome : undefined);
      const milliseconds = Math.round(performance.now() - startedAt);
      stageDuration.observe({ stage: 'receive' }, milliseconds / 1000);
      this.logger.info(
        { requestId, account, family, bytes, outcome, reason, milliseconds },
        'create',
      );
    }
    // 5. The log has the whole upload: the client is told.
    answerRecord(request, response, 201, recordOf(transition), {
      Location: requestPath(transition.family, transition.requestId),
    });
  }

  @All()
  otherMethods(@Req() request: ApiRequest): never {
    refuseMethod(request, 'POST');
  }

  /** Moves the file's bytes from the request into chunks; what is wrong with the file as a whole. */
  private async receive(
    request: ApiRequest,
    writer: UploadWriter,
    stopping: AbortController,
    family: FamilyName,
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
          // Cut only when there is room, because a cut begins the next buffer.
          await writer.room();
          writer.chunk(chunker.cut());
        }
      },
    );
    const timer = new SlowClientTimer(limits.uploadDeadlineMs, (reason) => {
      stopping.abort(reason);
    });
    try {
      await readFilePart(request, stopping.signal, timer, async (file) => {
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
      timer.stop();
      unpacker.destroy();
    }
    // A file with a finding is not read by anybody, so the rest need not be kept.
    if (unpacker.finding === null && !chunker.isEmpty) writer.lastChunk(chunker.rest());
    return unpacker.finding;
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof Problem) return `refused ${error.status}`;
  return error instanceof ClientGoneError ? 'client gone' : 'not confirmed';
}
