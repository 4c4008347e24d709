import { All, Controller, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import type { TokenHolder } from '../../accounts/account.js';
import { dayInTimeZone } from '../../domain/days.js';
import type { FamilyName } from '../../domain/families/index.js';
import { MAX_FILE_BYTES, MAX_UNPACKED_COST_BYTES } from '../../domain/upload-limits.js';
import type { Logger } from '../../ops/logger.js';
import type { Preview } from '../../preview/answer.js';
import { PreviewUnavailableError } from '../../preview/previewer.js';
import { TokenGuard } from '../auth/token.guard.js';
import { admit, declaredLength } from '../create/admission.js';
import { ChunkBuffers, Chunker } from '../create/receive/chunker.js';
import { SlowClientTimer, readFilePart } from '../create/receive/file-part.js';
import { Unpacker } from '../create/receive/unpacker.js';
import {
  GATEWAY_CONFIG,
  LOGGER,
  PREVIEWER,
  type GatewayConfig,
  type GatewayDependencies,
} from '../dependencies.js';
import { answerRecord, PREVIEW_ROUTE, refuseMethod, sayContinue } from '../http/answer.js';
import { acceptedCall, type ApiRequest, OperationIs } from '../http/call.js';
import { OpenCreates } from '../http/graceful-shutdown.js';
import { ClientGoneError, previewUnavailable, Problem, tooLarge } from '../http/problem.js';
import { RateLimitGuard } from '../http/rate-limit.guard.js';
import { PreviewSlots } from './preview-slots.js';

/** How long a preview waits for its slot at most, and then has it. */
const SLOT_MS = 10_000;

/** The preview operation: says what an upload of a file would do, and writes nothing. */
@Controller(PREVIEW_ROUTE)
export class PreviewController {
  private readonly slots = new PreviewSlots();

  constructor(
    @Inject(PREVIEWER) private readonly previewer: GatewayDependencies['previewer'],
    @Inject(OpenCreates) private readonly openCreates: OpenCreates,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @throws Problem
   * @throws ClientGoneError
   */
  @Post()
  @OperationIs('preview')
  @UseGuards(TokenGuard, RateLimitGuard)
  async preview(@Req() request: ApiRequest, @Res() response: Response): Promise<void> {
    // 1. What the headers forbid is refused before a byte of the body is read.
    const { family, holder } = acceptedCall(request);
    admit(request.headers);
    this.openCreates.refuseIfClosed();
    const startedAt = performance.now();
    const stopping = new AbortController();
    response.once('close', () => {
      stopping.abort(new ClientGoneError());
    });
    let outcome = 'answered';
    try {
      // 2. The file, as it was sent, and then a slot.
      const { file, leave } = await this.receive(request, response, holder.account, stopping);
      // 3. The preview. If it is given up, it has the slot until its query is over.
      const preview = this.previewOf(file, family, holder, stopping.signal).finally(leave);
      answerRecord(request, response, 200, await untilStopped(stopping, preview));
    } catch (error) {
      const problem = error instanceof PreviewUnavailableError ? previewUnavailable() : error;
      outcome = problem instanceof Problem ? `refused ${problem.status}` : 'failed';
      if (problem instanceof ClientGoneError) outcome = 'client gone';
      throw problem;
    } finally {
      const milliseconds = Math.round(performance.now() - startedAt);
      this.logger.info({ account: holder.account, family, outcome, milliseconds }, 'preview');
    }
  }

  @All()
  otherMethods(@Req() request: ApiRequest): never {
    refuseMethod(request, 'POST');
  }

  /** The file in pieces, packed if it was sent so; `leave` gives the slot back. */
  private async receive(
    request: ApiRequest,
    response: Response,
    account: string,
    stopping: AbortController,
  ): Promise<{ file: readonly Buffer[]; leave: () => void }> {
    const waitsNoMore = this.slots.begin(account);
    const timer = new SlowClientTimer(this.config.limits.uploadDeadlineMs, (reason) => {
      stopping.abort(reason.status === 503 ? previewUnavailable() : reason);
    });
    try {
      sayContinue(request, response);
      const file: Buffer[] = [];
      const chunker = new Chunker(new ChunkBuffers(), declaredLength(request.headers));
      await readFilePart(request, stopping.signal, timer, async (part) => {
        let bytes = 0;
        for await (const piece of part as AsyncIterable<Buffer>) {
          bytes += piece.length;
          if (bytes > MAX_FILE_BYTES) throw tooLarge();
          for (let from = 0; from < piece.length;) {
            from += chunker.fill(piece, from);
            if (chunker.isFull) file.push(chunker.cut());
          }
        }
        file.push(chunker.rest());
      });
      timer.stop();
      const leave = await untilStopped(stopping, this.slots.take(account, stopping.signal));
      return { file, leave };
    } finally {
      timer.stop();
      waitsNoMore();
    }
  }

  private async previewOf(
    packed: readonly Buffer[],
    family: FamilyName,
    { account, timeZone }: TokenHolder,
    signal: AbortSignal,
  ): Promise<Preview> {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    const { limits, integratedChannels } = this.config;
    const unpacker = new Unpacker(
      family === 'cost' ? MAX_UNPACKED_COST_BYTES : limits.unpackedBytes,
      (bytes) => {
        // A copy, because it moves to another thread: several pieces may share a buffer.
        parts.push(new Uint8Array(bytes));
        return Promise.resolve();
      },
    );
    try {
      for (const piece of packed) await unpacker.write(piece);
      await unpacker.end();
    } finally {
      unpacker.destroy();
    }
    const requestDay = dayInTimeZone(Date.now(), timeZone);
    const facts = { finding: unpacker.finding, requestDay, integratedChannels };
    return this.previewer.preview({ family, account, parts, facts }, signal);
  }
}

/** Rejects as soon as `stopping` is aborted, which it is when the time is over. */
async function untilStopped<T>(stopping: AbortController, work: Promise<T>): Promise<T> {
  const { signal } = stopping;
  const timer = setTimeout(() => {
    stopping.abort(previewUnavailable());
  }, SLOT_MS);
  try {
    return await new Promise<T>((resolve, reject) => {
      const stop = (): void => {
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      work.then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
  }
}
