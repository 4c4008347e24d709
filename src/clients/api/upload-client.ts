import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FamilyName } from '../../domain/families/index.js';
import type { Preview } from '../../preview/answer.js';
import { Backoff, sleep } from '../../domain/retry.js';
import { isFinal, type UploadRequestRecord } from '../../status/transition.js';
import { MAX_FILE_BYTES } from '../../domain/upload-limits.js';
import { withBackoff } from './backoff.js';
import { FileTooLargeError, NetworkError, problemOf } from './errors.js';

const UPLOADS = '/custom-data-upload/v1.0';
const RETRY_FOR_MS = 5 * 60_000;
/** Above the deadline that the service sets for an upload. */
const CREATE_TIMEOUT_MS = 120_000;
const READ_TIMEOUT_MS = 30_000;
/** How long the service is asked to hold its answer back until the request is finished. */
const WAIT_SECONDS = 20;
const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 2_000;

export interface UploadClientOptions {
  /** Where the service is, such as `https://uploads.example.com`. */
  readonly baseUrl: string | URL;
  /** An API token, without the scheme word. */
  readonly token: string;
  /** How long one call is retried while the service is busy or away; 5 minutes by default. */
  readonly retryForMs?: number;
}

export interface CallOptions {
  /** Gives up at once; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface CreateOptions extends CallOptions {
  /**
   * The upload's Idempotency-Key: sending it again gives the same request. By default a new one for
   * the call and its retries; give one to repeat a call after a restart.
   */
  readonly idempotencyKey?: string;
}

/** What differs from call to call, as `fetch` takes it. */
interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: FormData;
}

/**
 * A client of the upload API.
 *
 * A call that is refused with 409, 425, 429, 502, 503 or 504, or not answered at all, is retried
 * with growing pauses. That is safe: the service takes a file as a whole or not at all, and the
 * same rows again replace themselves.
 *
 * Every call throws a ProblemError, a NetworkError, or the reason of its signal; a TypeError for a
 * token or a key that no header can hold.
 */
export class UploadClient {
  private readonly origin: string;
  private readonly authorization: string;
  private readonly retryForMs: number;

  constructor({ baseUrl, token, retryForMs = RETRY_FOR_MS }: UploadClientOptions) {
    const url = new URL(baseUrl);
    this.origin = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
    this.authorization = `SERVICE-API-KEY ${token}`;
    this.retryForMs = retryForMs;
  }

  /**
   * Sends a file of at most 1 MiB. Resolves when the service has it for good (status `uploaded`).
   *
   * @param file CSV, or gzip of CSV; a stream is read to its end first, so that it can be sent again
   * @throws FileTooLargeError before anything is sent
   */
  async create(
    family: FamilyName,
    file: Uint8Array | Readable,
    { idempotencyKey = randomUUID(), signal }: CreateOptions = {},
  ): Promise<UploadRequestRecord> {
    const body = await formOf(file);
    const headers = { 'Idempotency-Key': idempotencyKey };
    return this.call(
      `${UPLOADS}/${family}/requests/`,
      { method: 'POST', headers, body },
      CREATE_TIMEOUT_MS,
      signal,
    );
  }

  /**
   * What `create` would do with the file: which stored numbers it would replace, and what may be a
   * mistake. Nothing is stored.
   *
   * @param file as of `create`
   * @throws FileTooLargeError before anything is sent
   */
  async preview(
    family: FamilyName,
    file: Uint8Array | Readable,
    { signal }: CallOptions = {},
  ): Promise<Preview> {
    const body = await formOf(file);
    const path = `/custom-data-preview/v1.0/${family}`;
    return this.call(path, { method: 'POST', body }, CREATE_TIMEOUT_MS, signal);
  }

  /** The request's record as it is now. */
  async read(
    family: FamilyName,
    requestId: string,
    { signal }: CallOptions = {},
  ): Promise<UploadRequestRecord> {
    return this.call(this.pathOf(family, requestId), {}, READ_TIMEOUT_MS, signal);
  }

  /** The request's record once it is `succeeded` or `failed`, however long that takes. */
  async finished(
    family: FamilyName,
    requestId: string,
    options: CallOptions = {},
  ): Promise<UploadRequestRecord> {
    for await (const record of this.watch(family, requestId, options)) {
      if (isFinal(record.status)) return record;
    }
    throw new Error('unreachable');
  }

  /** The request's record now and after each change, up to `succeeded` or `failed`. */
  async *watch(
    family: FamilyName,
    requestId: string,
    { signal }: CallOptions = {},
  ): AsyncGenerator<UploadRequestRecord, void> {
    // A service that does not know the preference answers at once, and is asked again after a pause.
    const init = { headers: { Prefer: `wait=${WAIT_SECONDS}` } };
    const timeoutMs = READ_TIMEOUT_MS + WAIT_SECONDS * 1000;
    const pauses = new Backoff(FIRST_POLL_MS, LONGEST_POLL_MS);
    let known: string | undefined;
    for (;;) {
      const askedAt = Date.now();
      const path = this.pathOf(family, requestId);
      const record = await this.call<UploadRequestRecord>(path, init, timeoutMs, signal);
      if (record.status !== known) {
        known = record.status;
        pauses.reset();
        yield record;
        if (isFinal(record.status)) return;
      }
      const rest = pauses.next() - (Date.now() - askedAt);
      if (rest > 0) await sleep(rest, signal);
      signal?.throwIfAborted();
    }
  }

  private pathOf(family: FamilyName, requestId: string): string {
    return `${UPLOADS}/${family}/requests/${encodeURIComponent(requestId)}`;
  }

  private call<Answer>(
    path: string,
    init: Call,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    // A token or a key that no header can hold is no failure of the network.
    const headers = new Headers({ ...init.headers, Authorization: this.authorization });
    return withBackoff(
      () => this.attempt<Answer>(path, { ...init, headers }, timeoutMs, signal),
      this.retryForMs,
      signal,
    );
  }

  private async attempt<Answer>(
    path: string,
    init: RequestInit,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    signal?.throwIfAborted();
    const url = this.origin + path;
    const ending = new AbortController();
    const stop = (): void => {
      ending.abort(signal?.reason);
    };
    const timer = setTimeout(() => {
      ending.abort(new Error(`no answer in ${timeoutMs / 1000} s`));
    }, timeoutMs);
    signal?.addEventListener('abort', stop);
    let response: Response;
    let text: string;
    try {
      // A redirect may lead away from who is to have the token.
      response = await fetch(url, { ...init, redirect: 'manual', signal: ending.signal });
      text = await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      throw new NetworkError(new URL(url).host, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
    if (!response.ok) throw problemOf(response, text);
    try {
      return JSON.parse(text) as Answer;
    } catch (error) {
      const what = 'answered with something that is not JSON';
      throw new NetworkError(new URL(url).host, error, what);
    }
  }
}

/** @throws FileTooLargeError */
async function formOf(file: Uint8Array | Readable): Promise<FormData> {
  const form = new FormData();
  form.append('file', new Blob(await piecesOf(file)), 'data.csv');
  return form;
}

/** @throws FileTooLargeError */
async function piecesOf(file: Uint8Array | Readable): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const piece of file instanceof Uint8Array
    ? [file]
    : (file as AsyncIterable<unknown>)) {
    const next =
      typeof piece === 'string' ? Buffer.from(piece) : (piece as Uint8Array<ArrayBuffer>);
    bytes += next.length;
    if (bytes > MAX_FILE_BYTES) throw new FileTooLargeError(MAX_FILE_BYTES);
    pieces.push(next);
  }
  return pieces;
}
