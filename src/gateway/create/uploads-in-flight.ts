import type { IncomingHttpHeaders } from 'node:http';

import { Injectable } from '@nestjs/common';

import { inTime } from '../../domain/in-time.js';
import { uploadsReceiving } from '../../ops/metrics.js';
import {
  shuttingDown,
  boundaryTooLong,
  contentCoded,
  noBoundary,
  notMultipart,
  tooLarge,
} from '../http/problem.js';
import { MAX_BODY_BYTES, MAX_BOUNDARY_LENGTH } from '../../domain/upload-limits.js';

/** The uploads that this gateway is busy with, so that a shutdown can wait for them. */
@Injectable()
export class UploadsInFlight {
  private count = 0;
  private isClosed = false;
  private idle: () => void = () => undefined;

  /**
   * Begins an upload; the returned function ends it.
   *
   * @throws Problem 503 once closed
   */
  begin(): () => void {
    if (this.isClosed) throw shuttingDown();
    this.count += 1;
    uploadsReceiving.inc();
    return () => {
      this.count -= 1;
      uploadsReceiving.dec();
      if (this.count === 0) this.idle();
    };
  }

  /** From now on no upload begins. */
  close(): void {
    this.isClosed = true;
  }

  /** Resolves when no upload is under way, or after `timeoutMs`; whether none is. */
  async finished(timeoutMs: number): Promise<boolean> {
    if (this.count === 0) return true;
    const isIdle = new Promise<true>((resolve) => {
      this.idle = () => {
        resolve(true);
      };
    });
    return inTime(isIdle, timeoutMs, () => false);
  }
}

const MULTIPART = /^multipart\/form-data[\t ]*(?:;|$)/i;
const BOUNDARY = /;[\t ]*boundary=(?:"([^"]*)"|([^\t ;"]*))/i;

/** Bytes of the body; undefined when it is sent without saying how long it is. */
export function declaredLength(headers: IncomingHttpHeaders): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/**
 * Refuses, by its headers alone, a create whose body is not worth reading.
 *
 * @throws Problem 415, then 413, then 400
 */
export function admit(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  if (type === undefined || !MULTIPART.test(type)) throw notMultipart();
  if (headers['content-encoding'] !== undefined) throw contentCoded();
  if ((declaredLength(headers) ?? 0) > MAX_BODY_BYTES) throw tooLarge();

  const match = BOUNDARY.exec(type);
  const boundary = match?.[1] ?? match?.[2] ?? '';
  if (boundary === '') throw noBoundary();
  if (boundary.length > MAX_BOUNDARY_LENGTH) throw boundaryTooLong();
}
