import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES, MAX_BOUNDARY_LENGTH, MAX_KEY_LENGTH } from '../../domain/upload-limits.js';
import {
  boundaryTooLong,
  contentCoded,
  malformedKey,
  noBoundary,
  notMultipart,
  tooLarge,
} from '../http/problem.js';

const MULTIPART = /^multipart\/form-data[\t ]*(?:;|$)/i;
const BOUNDARY = /;[\t ]*boundary=(?:"([^"]*)"|([^\t ;"]*))/i;

/** Bytes of the body; undefined without a Content-Length. */
export function declaredLength(headers: IncomingHttpHeaders): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/**
 * Refuses, by its headers alone, a create whose body need not be read.
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

/** Printable ASCII; blanks at its ends belong to the header, not to the key. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
/** A string of RFC 9651, which the draft of the header asks for. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/**
 * The key of a header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), with or without
 * the quotes around it; undefined when there is no such header.
 *
 * @throws Problem 400
 */
export function idempotencyKey({ headersDistinct }: IncomingMessage): string | undefined {
  const values = headersDistinct['idempotency-key'];
  if (values === undefined) return undefined;
  const [value = ''] = values;
  const key = QUOTED.exec(value)?.[1]?.replace(/\\(.)/g, '$1') ?? PLAIN.exec(value)?.[0] ?? '';
  const isMalformed = key === '' || key.length > MAX_KEY_LENGTH || values.length > 1;
  if (isMalformed || (value.startsWith('"') && !QUOTED.test(value))) throw malformedKey();
  return key;
}
