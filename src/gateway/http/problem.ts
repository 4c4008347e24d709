import { SCHEME } from './call.js';
import { MAX_BOUNDARY_LENGTH, MAX_FILE_BYTES, MAX_KEY_LENGTH } from '../../domain/upload-limits.js';

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

  /** The body of a problem. No problem has a type of its own: status and detail tell all. */
  get body(): ProblemBody {
    const { title, status, detail } = this;
    return { type: 'about:blank', title, status, detail };
  }
}

export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
}

/** The client has gone in the middle of its request, so nobody is left to answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Seconds after which a client that was answered 503 should try again. */
const RETRY_AFTER_SECONDS = '5';
const CLOSE = { Connection: 'close' };

const badRequest = (detail: string): Problem => new Problem(400, 'Bad Request', detail);

export const malformedPath = (): Problem => badRequest('The path of the request is malformed.');

export const notAUuid = (): Problem => badRequest('The requestId in the path is not a UUID.');

export const noBoundary = (): Problem =>
  badRequest(
    'The header Content-Type has no boundary. Do not set this header by hand: let the HTTP client set it.',
  );

export const boundaryTooLong = (): Problem =>
  badRequest(`The boundary is longer than ${MAX_BOUNDARY_LENGTH} characters.`);

export const malformedContentType = (): Problem =>
  badRequest('The header Content-Type is malformed.');

export const malformedKey = (): Problem =>
  badRequest(
    `The header Idempotency-Key has to be one key of 1 to ${MAX_KEY_LENGTH} printable ASCII characters.`,
  );

export const malformedForm = (): Problem =>
  badRequest('The body is not a well-formed, complete multipart form.');

export const noFile = (): Problem => badRequest('The form has no part named "file".');

export const noFilename = (): Problem =>
  badRequest('The part "file" has no filename. Send the CSV file as a file, not as a text field.');

export const otherParts = (): Problem =>
  badRequest('The form may have one part only, the file, named "file".');

const unauthorized = (what: string): Problem =>
  new Problem(
    401,
    'Unauthorized',
    `${what} Send the header "Authorization: ${SCHEME} <API_TOKEN>", with one space.`,
    { 'WWW-Authenticate': SCHEME },
  );

export const noToken = (): Problem =>
  unauthorized('The call carries no API token of the right form.');

export const unknownToken = (): Problem =>
  unauthorized('The API token is unknown or has been revoked.');

export const forbidden = (): Problem =>
  new Problem(
    403,
    'Forbidden',
    'The role of this API token may not upload; an owner or an in-house marketer may.',
  );

export const nothingHere = (): Problem =>
  new Problem(404, 'Not Found', 'There is nothing at this path.');

/**
 * One answer for unknown requests, those of other accounts and those of the other family, so that
 * nobody can tell them apart.
 */
export const unknownRequest = (): Problem =>
  new Problem(404, 'Not Found', 'There is no such upload request.');

export const methodNotAllowed = (allow: string): Problem =>
  new Problem(405, 'Method Not Allowed', `This path takes ${allow} only.`, { Allow: allow });

/** @param leftMs until the outcome of the other upload is known */
export const keyInProgress = (leftMs: number): Problem =>
  new Problem(
    409,
    'Conflict',
    'Another upload with this Idempotency-Key is in progress. Send it again after the seconds of Retry-After.',
    { 'Retry-After': String(Math.max(1, Math.ceil(leftMs / 1_000))) },
  );

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

const unsupportedMediaType = (
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Problem => new Problem(415, 'Unsupported Media Type', detail, headers);

export const notMultipart = (): Problem =>
  unsupportedMediaType('Send the file as multipart/form-data, in one part named "file".');

export const contentCoded = (): Problem =>
  unsupportedMediaType(
    'Send the request without Content-Encoding; compress the file itself with gzip instead.',
    { 'Accept-Encoding': 'identity' },
  );

export const keyReused = (): Problem =>
  new Problem(
    422,
    'Unprocessable Content',
    'This Idempotency-Key was sent with another file within the last 24 hours.',
  );

/** @param seconds until the next call of this kind is allowed */
export const tooManyRequests = (what: string, seconds: number): Problem =>
  new Problem(
    429,
    'Too Many Requests',
    `The account sends too many ${what}. Wait for as long as Retry-After says.`,
    { 'Retry-After': String(seconds) },
  );

export const internalError = (): Problem =>
  new Problem(500, 'Internal Server Error', 'The service failed to handle this call.');

const unavailable = (detail: string): Problem =>
  new Problem(503, 'Service Unavailable', detail, { 'Retry-After': RETRY_AFTER_SECONDS });

export const uploadNotTaken = (): Problem =>
  unavailable(
    'The upload could not be confirmed. It is applied as a whole or not at all; sending it again is safe.',
  );

export const tooManyUploads = (): Problem =>
  unavailable('This server has too many uploads under way. Nothing was stored; send it again.');

export const statusUnavailable = (): Problem =>
  unavailable('The status cannot be told now. Ask again.');

export const previewUnavailable = (): Problem =>
  unavailable(
    'The preview cannot be made now. Nothing was stored. Send the file again after the seconds of Retry-After.',
  );

export const shuttingDown = (): Problem =>
  new Problem(503, 'Service Unavailable', 'This server is shutting down. Send the upload again.', {
    'Retry-After': '1',
    ...CLOSE,
  });
