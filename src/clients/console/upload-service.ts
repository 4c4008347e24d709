import { NetworkError, problemOf, UploadClientError } from '../api/errors.js';
import type { FamilyName } from '../../domain/families/index.js';
import { Backoff, sleep } from '../../domain/retry.js';
import { isFinal, type UploadRequestRecord } from '../../status/transition.js';

const CREATE_TIMEOUT_MS = 120_000;
const READ_TIMEOUT_MS = 60_000;
/** How long the service is asked to delay its answer until the state changes. */
const WAIT_SECONDS = 20;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

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

  /** @param token asked for at each call: only its field keeps it */
  constructor(private readonly token: () => string) {}

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
    return new Promise((resolve, reject) => {
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
        if (call.status === 201) {
          resolve(JSON.parse(call.responseText) as UploadRequestRecord);
          return;
        }
        const { status, statusText } = call;
        const headers = { 'Retry-After': call.getResponseHeader('Retry-After') ?? '' };
        reject(problemOf(new Response(null, { status, statusText, headers }), call.responseText));
      });
      for (const event of ['error', 'timeout', 'abort'] as const) {
        call.addEventListener(event, () => {
          const cause = event === 'timeout' ? 'it takes too long' : 'the connection failed';
          reject(new NetworkError(this.base.host, cause));
        });
      }
      call.send(form);
    });
  }

  async read(family: FamilyName, requestId: string, waitSeconds = 0): Promise<UploadRequestRecord> {
    const headers = {
      ...this.headers(),
      ...(waitSeconds > 0 && { Prefer: `wait=${waitSeconds}` }),
    };
    const url = new URL(`${family}/requests/${encodeURIComponent(requestId)}`, this.base);
    let response: Response;
    let text: string;
    try {
      const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
      response = await fetch(url, { headers, signal, cache: 'no-store', credentials: 'omit' });
      text = await response.text();
    } catch (error) {
      throw new NetworkError(this.base.host, error);
    }
    if (!response.ok) throw problemOf(response, text);
    return JSON.parse(text) as UploadRequestRecord;
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
        asked = retryAfterMs(error);
      }
      // Also where the service has waited as asked: one that does not know the preference answers
      // at once.
      await sleep(Math.max(asked, pauses.next()));
    }
  }

  private headers(): Record<string, string> {
    return { Authorization: `SERVICE-API-KEY ${this.token()}` };
  }
}

/** How long the service asks to wait before the next call; 0: it does not say. */
export function retryAfterMs(error: unknown): number {
  return error instanceof Error && 'retryAfterMs' in error ? Number(error.retryAfterMs ?? 0) : 0;
}
