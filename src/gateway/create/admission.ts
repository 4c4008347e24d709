import type { IncomingHttpHeaders } from 'node:http';
import { badRequest, tooLarge, unsupportedMediaType } from '../problems/problem.js';
import { MAX_BODY_BYTES } from './limits.js';

const MULTIPART = /^multipart\/form-data[\t ]*(?:;|$)/i;
const BOUNDARY = /;[\t ]*boundary=(?:"([^"]*)"|([^\t ;"]*))/i;
/** RFC 2046, 5.1.1. */
const MAX_BOUNDARY_LENGTH = 70;

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
  if (type === undefined || !MULTIPART.test(type)) {
    throw unsupportedMediaType('Send the file as multipart/form-data, in one part named "file".');
  }
  if (headers['content-encoding'] !== undefined) {
    throw unsupportedMediaType(
      'Send the request without Content-Encoding; compress the file itself with gzip instead.',
      { 'Accept-Encoding': 'identity' },
    );
  }
  if ((declaredLength(headers) ?? 0) > MAX_BODY_BYTES) throw tooLarge();

  const match = BOUNDARY.exec(type);
  const boundary = match?.[1] ?? match?.[2] ?? '';
  if (boundary === '') {
    throw badRequest(
      'The header Content-Type has no boundary. Do not set this header by hand: let the HTTP client set it.',
    );
  }
  if (boundary.length > MAX_BOUNDARY_LENGTH) {
    throw badRequest(`The boundary is longer than ${MAX_BOUNDARY_LENGTH} characters.`);
  }
}
