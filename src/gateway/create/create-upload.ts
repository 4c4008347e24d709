import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { uuidv7 } from '../../domain/requests/request-id.js';
import type { Transition } from '../../domain/requests/transition.js';
import type { Logger } from '../../ops/logger.js';
import { stageDuration, uploadBytes } from '../../ops/metrics.js';
import { acceptedCall, type ApiRequest } from '../call.js';
import { GATEWAY_CONFIG, LOGGER, type GatewayConfig } from '../dependencies.js';
import { ClientGoneError, Problem, tooLarge } from '../problems/problem.js';
import { Acceptance } from './acceptance.js';
import { admit, declaredLength } from './admission.js';
import { Chunker } from './chunker.js';
import { readFilePart } from './file-part.js';
import { MAX_FILE_BYTES, MAX_UNPACKED_COST_BYTES } from './limits.js';
import { Patience } from './patience.js';
import { TimedLog } from './timed-log.js';
import { Unpacker } from './unpacker.js';
import { UploadWriter, type UploadIdentity } from './upload-writer.js';
import { UploadsInFlight } from './uploads-in-flight.js';

/** The create operation: streams a request's file into the log and accepts it. */
@Injectable()
export class CreateUpload {
  constructor(
    @Inject(TimedLog) private readonly log: TimedLog,
    @Inject(Acceptance) private readonly acceptance: Acceptance,
    @Inject(UploadsInFlight) private readonly inFlight: UploadsInFlight,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Resolves when the upload is accepted.
   *
   * @throws Problem
   * @throws LogUnavailableError whether the upload is accepted is unknown then
   * @throws ClientGoneError
   */
  async run(request: ApiRequest, response: ServerResponse): Promise<Transition> {
    const { family, holder } = acceptedCall(request);
    admit(request.headers);
    const startedAt = performance.now();
    const requestId = uuidv7(Date.now(), randomBytes(10));
    const identity: UploadIdentity = { requestId, account: holder.account, family };
    const stopping = new AbortController();
    const writer = new UploadWriter(this.log, identity, (error) => {
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
      const finding = await this.receive(request, writer, stopping, identity);
      if (finding !== null) outcome = 'accepted with a finding';
      const file = { identity, timeZone: holder.timeZone, finding, caughtUp };
      const transition = await this.acceptance.accept(file, writer);
      uploadBytes.inc({ family }, writer.bytes);
      return transition;
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      // Not awaited: the client need not wait until the log has been told.
      void writer.abort().finally(finished);
      const milliseconds = Math.round(performance.now() - startedAt);
      stageDuration.observe({ stage: 'receive' }, milliseconds / 1000);
      this.logger.info({ ...identity, bytes: writer.bytes, outcome, milliseconds }, 'create');
    }
  }

  /** Moves the file's bytes from the request into chunks; what is wrong with the file as a whole. */
  private async receive(
    request: ApiRequest,
    writer: UploadWriter,
    stopping: AbortController,
    { family }: UploadIdentity,
  ): Promise<string | null> {
    const { limits } = this.config;
    const chunker = new Chunker(declaredLength(request.headers));
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
          await unpacker.write(piece);
        }
        await unpacker.end();
      });
    } finally {
      patience.stop();
      unpacker.destroy();
    }
    // Of a file with a finding nothing will be read, so the rest need not be kept.
    if (unpacker.finding === null && !chunker.isEmpty) {
      await writer.room();
      writer.chunk(chunker.rest());
    }
    return unpacker.finding;
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof Problem) return `refused ${error.status}`;
  return error instanceof ClientGoneError ? 'client gone' : 'not confirmed';
}
