import { SCHEME } from '../auth/authorization.js';
import { MAX_FILE_BYTES } from '../create/limits.js';

/** A refusal, as the client reads it (RFC 9457). Its text is for the client: no path, no internals. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
  }
}

/** The client is gone in the middle of its request, so nobody is left to answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Seconds after which a client that was answered 503 does well to try again. */
const RETRY_AFTER_SECONDS = '5';
const CLOSE = { Connection: 'close' };

export const badRequest = (detail: string): Problem => new Problem(400, 'Bad Request', detail);

export const unauthorized = (what: string): Problem =>
  new Problem(
    401,
    'Unauthorized',
    `${what} Send the header "Authorization: ${SCHEME} <API_TOKEN>", with one space.`,
    { 'WWW-Authenticate': SCHEME },
  );

export const forbidden = (): Problem =>
  new Problem(
    403,
    'Forbidden',
    'The role of this API token may not upload; an owner or an in-house marketer may.',
  );

export const nothingHere = (): Problem =>
  new Problem(404, 'Not Found', 'There is nothing at this path.');

/** One answer for unknown, another account's and the other family's: none of them can be told apart. */
export const unknownRequest = (): Problem =>
  new Problem(404, 'Not Found', 'There is no such upload request.');

export const methodNotAllowed = (allow: string): Problem =>
  new Problem(405, 'Method Not Allowed', `This path takes ${allow} only.`, { Allow: allow });

export const tooSlow = (): Problem =>
  new Problem(
    408,
    'Request Timeout',
    'The file did not arrive in time; nothing was stored.',
    CLOSE,
  );

export const tooLarge = (): Problem =>
  new Problem(
    413,
    'Content Too Large',
    `The file is larger than ${MAX_FILE_BYTES} bytes. Split it, or compress a self-serve file with gzip.`,
    CLOSE,
  );

export const unsupportedMediaType = (
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Problem => new Problem(415, 'Unsupported Media Type', detail, headers);

export const internalError = (): Problem =>
  new Problem(500, 'Internal Server Error', 'The service failed to handle this call.');

export const uploadNotTaken = (): Problem =>
  new Problem(
    503,
    'Service Unavailable',
    'The upload could not be confirmed. It is applied as a whole or not at all; sending it again is safe.',
    { 'Retry-After': RETRY_AFTER_SECONDS },
  );

export const statusUnavailable = (): Problem =>
  new Problem(503, 'Service Unavailable', 'The status cannot be told now. Ask again.', {
    'Retry-After': RETRY_AFTER_SECONDS,
  });

export const shuttingDown = (): Problem =>
  new Problem(503, 'Service Unavailable', 'This server is shutting down. Send the upload again.', {
    'Retry-After': '1',
    ...CLOSE,
  });
