import { NetworkError, ProblemError, problemOf, UploadClientError } from '../api/errors.js';
import type { FamilyName } from '../../domain/families/index.js';
import type { Preview } from '../../preview/answer.js';
import { messageOf } from '../../domain/failure.js';
import { Backoff, sleep } from '../../domain/retry.js';
import { isFinal, type UploadRequestRecord } from '../../status/transition.js';

const CREATE_TIMEOUT_MS = 120_000;
const READ_TIMEOUT_MS = 60_000;
/** How long the service is asked to delay its answer until the state changes. */
const WAIT_SECONDS = 20;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** How often a busy service is asked, and how long the pauses are at least. */
const ATTEMPTS = 5;
const BUSY_PAUSE_MS = 1_000;

/** A file on its way to the service. */
export interface Sending {
  readonly family: FamilyName;
  readonly content: Blob;
  readonly name: string;
  /** The same for every attempt, so that the service takes the file once. */
  readonly idempotencyKey: string;
  /** @param fraction of the body, 0 to 1 */
  readonly onProgress: (fraction: number) => void;
}

/** The upload API, as this page calls it. Rejects with an `UploadClientError`. */
export class UploadService {
  // Relative to the page, so that a proxy may serve both below a path of its own.
  private readonly base = new URL('../custom-data-upload/v1.0/', document.baseURI);
  private readonly previews = new URL('../custom-data-preview/v1.0/', document.baseURI);

  constructor(private readonly token: string) {}

  /** Only XMLHttpRequest tells how much has been sent. */
  create({
    family,
    content,
    name,
    idempotencyKey,
    onProgress,
  }: Sending): Promise<UploadRequestRecord> {
    const form = new FormData();
    form.append('file', content, name);
    // What a listener throws would reach nobody, so the answer is read outside.
    const answered = new Promise<XMLHttpRequest>((resolve, reject) => {
      const call = new XMLHttpRequest();
      call.open('POST', new URL(`${family}/requests/`, this.base));
      call.timeout = CREATE_TIMEOUT_MS;
      for (const [header, value] of Object.entries(this.headers())) {
        call.setRequestHeader(header, value);
      }
      call.setRequestHeader('Idempotency-Key', idempotencyKey);
      call.upload.addEventListener('progress', ({ loaded, total }) => {
        onProgress(total === 0 ? 1 : loaded / total);
      });
      call.addEventListener('load', () => {
        resolve(call);
      });
      for (const event of ['error', 'timeout', 'abort'] as const) {
        call.addEventListener(event, () => {
          const cause = event === 'timeout' ? 'it takes too long' : 'the connection failed';
          reject(new NetworkError(this.base.host, cause));
        });
      }
      call.send(form);
    });
    return answered.then((call) => this.recordOf(call));
  }

  private recordOf(call: XMLHttpRequest): UploadRequestRecord {
    const { status, statusText, responseText } = call;
    if (status === 201) return this.parsed(responseText) as UploadRequestRecord;
    const headers = { 'Retry-After': call.getResponseHeader('Retry-After') ?? '' };
    throw problemOf(new Response(null, { status, statusText, headers }), responseText);
  }

  /** What an upload of the content would do now. Nothing is stored. */
  preview(family: FamilyName, content: Blob, name: string, signal: AbortSignal): Promise<Preview> {
    const body = new FormData();
    body.append('file', content, name);
    const ending = AbortSignal.any([signal, AbortSignal.timeout(CREATE_TIMEOUT_MS)]);
    const init = { method: 'POST', headers: this.headers(), body, signal: ending };
    return this.call<Preview>(new URL(family, this.previews), init);
  }

  read(family: FamilyName, requestId: string, waitSeconds = 0): Promise<UploadRequestRecord> {
    const headers = {
      ...this.headers(),
      ...(waitSeconds > 0 && { Prefer: `wait=${waitSeconds}` }),
    };
    const url = new URL(`${family}/requests/${encodeURIComponent(requestId)}`, this.base);
    const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
    return this.call<UploadRequestRecord>(url, { headers, signal });
  }

  /**
   * The request's record after each change from the known state, up to `succeeded` or `failed`.
   * While the service is away it is asked again; what it refuses for good is thrown.
   */
  async *follow(
    family: FamilyName,
    from: Pick<UploadRequestRecord, 'requestId' | 'status'>,
  ): AsyncGenerator<UploadRequestRecord, void> {
    let known = from.status;
    const pauses = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    while (!isFinal(known)) {
      let asked = 0;
      try {
        const record = await this.read(family, from.requestId, WAIT_SECONDS);
        if (record.status !== known) {
          known = record.status;
          pauses.reset();
          yield record;
          continue;
        }
      } catch (error) {
        if (!(error instanceof UploadClientError) || !error.isPassing) throw error;
        asked = error instanceof ProblemError ? (error.retryAfterMs ?? 0) : 0;
      }
      // Also where the service has waited as asked: one that does not know the preference answers
      // at once.
      await sleep(Math.max(asked, pauses.next()));
    }
  }

  private async call<Answer>(url: URL, init: RequestInit): Promise<Answer> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, { ...init, cache: 'no-store', credentials: 'omit' });
      text = await response.text();
    } catch (error) {
      throw new NetworkError(this.base.host, error);
    }
    if (!response.ok) throw problemOf(response, text);
    return this.parsed(text) as Answer;
  }

  /** @throws NetworkError, as for a login page of a proxy */
  private parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      const what = 'answered with something that is not JSON';
      throw new NetworkError(this.base.host, error, what);
    }
  }

  private headers(): Record<string, string> {
    return { Authorization: `SERVICE-API-KEY ${this.token}` };
  }
}

/**
 * Makes a call, again a few times while the service is busy.
 *
 * @param onPause called with each pause, in seconds
 */
export async function whileBusy<Answer>(
  call: () => Promise<Answer>,
  onPause: (seconds: number) => void,
  signal?: AbortSignal,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ProblemError && error.isPassing)) throw error;
      if (attempt === ATTEMPTS || signal?.aborted === true) throw error;
      const pause = Math.max(BUSY_PAUSE_MS, error.retryAfterMs ?? 0);
      onPause(Math.ceil(pause / 1_000));
      await sleep(pause, signal);
    }
  }
}

/** Whether the service has certainly not taken the file. */
export function isNotTaken(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return false;
  if (error.status === 429) return true;
  if (error.isPassing) return false;
  // 408: it came too slowly.
  return error.status < 500 && error.status !== 408;
}

/**
 * Whether it has refused the file for good, not the token and not for now. Of two files, the other
 * may be sent then.
 */
export function isRefusal(error: unknown): boolean {
  return isNotTaken(error) && ![401, 403, 429].includes((error as ProblemError).status);
}

/** An error in words for the user. */
export function textOf(error: unknown): string {
  if (error instanceof UploadClientError) return error.message;
  return `This page failed: ${messageOf(error)}`;
}
