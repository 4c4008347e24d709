import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

import type { Busboy } from 'busboy';

import {
  ClientGoneError,
  malformedContentType,
  malformedForm,
  noFile,
  noFilename,
  otherParts,
  tooLarge,
  tooSlow,
  uploadNotTaken,
  type Problem,
} from '../../http/problem.js';
import { MAX_BODY_BYTES } from '../../../domain/upload-limits.js';
import { strictForm } from './strict-form.js';

/** One more than is allowed of each, so that the surplus one is noticed. */
const LIMITS = { files: 2, fields: 1, fieldSize: 0, parts: 2, headerPairs: 100 };

/**
 * Fewer bytes wait for the next turn of the event loop: a chunked body may come as thousands of
 * tiny pieces in one packet, and passing each on costs far more than its bytes.
 */
const WORTH_READING_BYTES = 4_096;

/**
 * Reads a multipart body whose only part is the file, and hands the file's bytes to `take`, which
 * holds the client back by being slow. Resolves when the body is complete and `take` is done.
 *
 * When it rejects, the rest of the body is unread, `take` may still be running, and the file's
 * stream is destroyed.
 *
 * @param stopped stops the reading; this rejects with its reason
 * @throws Problem 400, 413
 * @throws ClientGoneError
 */
export function readFilePart(
  request: IncomingMessage,
  stopped: AbortSignal,
  timer: SlowClientTimer,
  take: (file: Readable) => Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let form: Busboy;
    try {
      const type = withoutEmptyParameters(request.headers['content-type']!);
      form = strictForm({ headers: { 'content-type': type }, limits: LIMITS });
    } catch {
      reject(malformedContentType());
      return;
    }
    let taking: Promise<void> | undefined;
    let bodyBytes = 0;
    let waiting = false;
    let isReadingSoon = false;
    let isOver = false;

    const leave = (): void => {
      isOver = true;
      request.off('readable', readSoon).off('end', end).off('close', closed);
      stopped.removeEventListener('abort', stop);
    };
    const fail = (reason: Error): void => {
      if (isOver) return;
      leave();
      reject(reason);
      // Not now: busboy emits some events in the middle of its parser, which goes on with its
      // streams when the listener returns.
      process.nextTick(() => form.destroy());
    };

    const read = (): void => {
      while (!waiting && !isOver) {
        const piece = request.read() as Buffer | null;
        if (piece === null) return;
        bodyBytes += piece.length;
        if (bodyBytes > MAX_BODY_BYTES) {
          fail(tooLarge());
          return;
        }
        waiting = !form.write(piece);
        if (waiting) timer.hold();
        else timer.renew();
      }
    };
    const readSoon = (): void => {
      if (request.readableLength >= WORTH_READING_BYTES) read();
      else if (!isReadingSoon) {
        isReadingSoon = true;
        setImmediate(() => {
          isReadingSoon = false;
          read();
        });
      }
    };
    const drained = (): void => {
      waiting = false;
      timer.renew();
      read();
    };
    const end = (): void => {
      timer.hold();
      form.end();
    };
    const closed = (): void => {
      // Not `complete`: what has come but was held back does not get its `end` any more.
      if (!request.readableEnded) fail(new ClientGoneError());
    };
    const stop = (): void => {
      fail(stopped.reason as Error);
    };

    form.on('file', (name, file, info) => {
      file.on('error', ignore);
      if (name !== 'file' || taking !== undefined) fail(otherParts());
      else if (!info.filename) fail(noFilename());
      else {
        taking = take(file);
        taking.catch(fail);
      }
    });
    form.on('field', (name) => {
      fail(name === 'file' ? noFilename() : otherParts());
    });
    // The end of a second part, even of one that busboy skips silently.
    form.on('partsLimit', () => {
      fail(otherParts());
    });
    form.on('error', () => {
      fail(malformedForm());
    });
    form.on('drain', drained);
    form.on('finish', () => {
      if (taking === undefined) {
        fail(noFile());
        return;
      }
      // Until then it may still be stopped: the last piece of a packed file may be much to take.
      taking.then(() => {
        leave();
        resolve();
      }, ignore);
    });

    request.on('readable', readSoon).on('end', end).on('close', closed);
    stopped.addEventListener('abort', stop);
    if (stopped.aborted) stop();
    else if (request.destroyed) closed();
    else read();
  });
}

function ignore(): void {
  // The file's stream fails together with the form or the request, which report it.
}

/** After this part of the upload deadline without a byte the client is cut off. */
const IDLE_SHARE = 1 / 4;

/**
 * Cuts off a client that stops sending, or that takes longer than the upload deadline. Time in
 * which the service itself holds the client back does not count.
 */
export class SlowClientTimer {
  private held = false;
  private readonly idle: NodeJS.Timeout;
  private readonly deadline: NodeJS.Timeout;

  constructor(deadlineMs: number, cutOff: (reason: Problem) => void) {
    this.idle = setTimeout(() => {
      if (this.held) this.idle.refresh();
      else cutOff(tooSlow());
    }, deadlineMs * IDLE_SHARE);
    this.deadline = setTimeout(() => {
      cutOff(this.held ? uploadNotTaken() : tooSlow());
    }, deadlineMs);
  }

  /** From now on the client sends. */
  renew(): void {
    this.held = false;
    this.idle.refresh();
  }

  /** From now on the client waits for the service. */
  hold(): void {
    this.held = true;
  }

  stop(): void {
    clearTimeout(this.idle);
    clearTimeout(this.deadline);
  }
}

/** RFC 9110, 5.6.6 allows them, and busboy does not. Linear, also without a closing quote. */
function withoutEmptyParameters(type: string): string {
  return type.replace(
    /("(?:[^"\\]|\\.)*"?)|;[\t ]*(?=;|$)/g,
    (_, quoted: string | undefined) => quoted ?? '',
  );
}
