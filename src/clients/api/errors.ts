import { codeOf } from '../../domain/failure.js';

/** Anything that keeps a call from being answered with a record. */
export abstract class UploadClientError extends Error {
  /** Whether the same call may succeed later. The client has already retried until it gave up. */
  abstract readonly isPassing: boolean;
}

/** The members of a problem (RFC 9457) that the service sends. */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
}

/** The service refused the call. */
export class ProblemError extends UploadClientError {
  override readonly name = 'ProblemError';

  constructor(
    readonly problem: ProblemDetails,
    /** Milliseconds that the service asks to wait; undefined: it does not say. */
    readonly retryAfterMs: number | undefined,
  ) {
    super(`${problem.status} ${problem.title}: ${problem.detail}`);
  }

  get status(): number {
    return this.problem.status;
  }

  /** 409 means that an earlier call with the same Idempotency-Key is still under way. */
  get isPassing(): boolean {
    return [409, 425, 429, 502, 503, 504].includes(this.status);
  }
}

/**
 * No answer of the service: it could not be reached, or the connection broke, or it took too long,
 * or what answered is something else.
 */
export class NetworkError extends UploadClientError {
  override readonly name = 'NetworkError';
  readonly isPassing = true;

  constructor(where: string, cause: unknown, what = `does not answer: ${causeOf(cause)}`) {
    super(`${where} ${what}`, { cause });
  }
}

/** The file is larger than a request may be; nothing was sent. */
export class FileTooLargeError extends UploadClientError {
  override readonly name = 'FileTooLargeError';
  readonly isPassing = false;

  constructor(maxBytes: number) {
    super(`the file is larger than ${maxBytes} bytes`);
  }
}

/** Reads a refusal, also one of a proxy, which need not be a problem. */
export function problemOf(response: Response, text: string): ProblemError {
  const { status, headers } = response;
  const address = headers.get('Location');
  return new ProblemError(
    {
      type: 'about:blank',
      title: response.statusText,
      detail:
        address === null ? text.slice(0, 500) : `the service is at another address, ${address}`,
      ...(parsed(text) as Partial<ProblemDetails>),
      status,
    },
    retryAfterOf(headers.get('Retry-After')),
  );
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Retry-After as RFC 9110 has it: seconds or a date. */
function retryAfterOf(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** `fetch` says only "fetch failed"; its cause says what happened. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? (codeOf(cause) ?? cause.message) : error.message;
}
