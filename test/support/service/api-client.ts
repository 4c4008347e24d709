import { setTimeout as sleep } from 'node:timers/promises';

import type { FamilyName } from '../../../src/domain/families/index.js';
import { rankOf, type Status, type UploadRequestRecord } from '../../../src/status/transition.js';

const FINISH_MS = 90_000;
const PIECES = 10;
const BYTE_MS = 50;

/** An API client as a user would write it. */
export class ApiClient {
  /** By the address of a request: the rank of the last state that was read. */
  private readonly ranks = new Map<string, number>();

  constructor(
    private readonly port: () => number,
    private readonly token: string,
  ) {}

  /**
   * Posts a file and returns the answer, whatever it is.
   *
   * @param overMs how long sending the body takes, in pieces
   * @param key the `Idempotency-Key` header
   */
  post(
    family: FamilyName,
    content: string | Uint8Array<ArrayBuffer>,
    overMs = 0,
    key?: string,
  ): Promise<Response> {
    const headers = { ...(key !== undefined && { 'Idempotency-Key': key }) };
    return this.send(family, content, headers, overMs === 0 ? undefined : inTime(overMs));
  }

  /** Posts the first half of a file, then sends nothing more until the connection ends. */
  postHalf(family: FamilyName, content: string): Promise<Response> {
    return this.send(family, content, {}, firstHalf);
  }

  /** Posts the first half of a file, and the rest when `middle` has resolved. */
  postHalves(family: FamilyName, content: string, middle: Promise<void>): Promise<Response> {
    return this.send(family, content, {}, inHalves(middle));
  }

  /**
   * Posts a file byte by byte until `over` has resolved, and then the rest.
   *
   * @param key the `Idempotency-Key` header
   */
  postUntil(
    family: FamilyName,
    content: string,
    over: Promise<void>,
    key: string,
  ): Promise<Response> {
    return this.send(family, content, { 'Idempotency-Key': key }, byBytesUntil(over));
  }

  /** Posts a file that must be accepted. */
  async create(
    family: FamilyName,
    content: string | Uint8Array<ArrayBuffer>,
  ): Promise<UploadRequestRecord> {
    const answer = await this.post(family, content);
    if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as UploadRequestRecord;
  }

  get(family: FamilyName, requestId: string): Promise<Response> {
    return fetch(`${this.base(family)}/${requestId}`, { headers: this.headers() });
  }

  /** The request's record once it is final. */
  finished(family: FamilyName, requestId: string): Promise<UploadRequestRecord> {
    return this.until(family, requestId, 'succeeded', 'failed');
  }

  /** The request's record once it has one of the statuses. */
  async until(
    family: FamilyName,
    requestId: string,
    ...statuses: Status[]
  ): Promise<UploadRequestRecord> {
    const until = Date.now() + FINISH_MS;
    for (;;) {
      const answer = await this.get(family, requestId);
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
      const record = (await answer.json()) as UploadRequestRecord;
      this.expectNoStepBack(`${this.base(family)}/${requestId}`, record.status);
      if (statuses.includes(record.status)) return record;
      if (Date.now() > until) throw new Error(`${requestId} is still ${record.status}`);
      await sleep(10);
    }
  }

  /** A process never gives an earlier state of a request than it has given before. */
  private expectNoStepBack(url: string, status: Status): void {
    const rank = rankOf(status);
    if (rank < (this.ranks.get(url) ?? rank)) throw new Error(`${url} went back to ${status}`);
    this.ranks.set(url, rank);
  }

  /** Uploads a file and waits for its final record. */
  async upload(
    family: FamilyName,
    content: string | Uint8Array<ArrayBuffer>,
  ): Promise<UploadRequestRecord> {
    const { requestId } = await this.create(family, content);
    return this.finished(family, requestId);
  }

  private send(
    family: FamilyName,
    content: string | Uint8Array<ArrayBuffer>,
    added: Record<string, string>,
    pieces?: Pieces,
  ): Promise<Response> {
    const form = new FormData();
    form.append('file', new Blob([content]), 'data.csv');
    const url = `${this.base(family)}/`;
    const headers = { ...this.headers(), ...added };
    if (pieces === undefined) return fetch(url, { method: 'POST', headers, body: form });
    const whole = new Response(form);
    const type = { 'Content-Type': whole.headers.get('Content-Type')! };
    return fetch(url, {
      method: 'POST',
      headers: { ...headers, ...type },
      body: ReadableStream.from(pieces(whole)),
      duplex: 'half',
    });
  }

  private base(family: FamilyName): string {
    return `http://127.0.0.1:${this.port()}/custom-data-upload/v1.0/${family}/requests`;
  }

  private headers(): Record<string, string> {
    return { Authorization: `SERVICE-API-KEY ${this.token}` };
  }
}

type Pieces = (whole: Response) => AsyncGenerator<Uint8Array>;

/** The body in pieces of equal size, with pauses. */
function inTime(overMs: number): Pieces {
  return async function* (whole) {
    const bytes = new Uint8Array(await whole.arrayBuffer());
    const size = Math.ceil(bytes.length / PIECES);
    for (let from = 0; from < bytes.length; from += size) {
      yield bytes.subarray(from, from + size);
      await sleep(overMs / PIECES);
    }
  };
}

function inHalves(middle: Promise<void>): Pieces {
  return async function* (whole) {
    const bytes = new Uint8Array(await whole.arrayBuffer());
    yield bytes.subarray(0, bytes.length / 2);
    await middle;
    yield bytes.subarray(bytes.length / 2);
  };
}

function byBytesUntil(over: Promise<void>): Pieces {
  const ended = over.then(() => true);
  return async function* (whole) {
    const bytes = new Uint8Array(await whole.arrayBuffer());
    let sent = 0;
    for (let isOver = false; !isOver && sent < bytes.length - 1; sent++) {
      yield bytes.subarray(sent, sent + 1);
      isOver = await Promise.race([ended, sleep(BYTE_MS, false)]);
    }
    yield bytes.subarray(sent);
  };
}

async function* firstHalf(whole: Response): AsyncGenerator<Uint8Array> {
  const bytes = new Uint8Array(await whole.arrayBuffer());
  yield bytes.subarray(0, bytes.length / 2);
  await new Promise(() => undefined);
}
