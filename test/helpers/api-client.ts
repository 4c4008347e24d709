import { setTimeout as sleep } from 'node:timers/promises';

import type { FamilyName } from '../../src/domain/families/index.js';
import type { UploadRequestRecord } from '../../src/domain/requests/transition.js';

const FINISH_MS = 60_000;

/** A client of the API as its users write one. */
export class ApiClient {
  constructor(
    private readonly port: () => number,
    private readonly token: string,
  ) {}

  /** Posts a file; whatever the answer is. */
  post(family: FamilyName, content: string | Uint8Array<ArrayBuffer>): Promise<Response> {
    const form = new FormData();
    form.append('file', new Blob([content]), 'data.csv');
    return fetch(`${this.base(family)}/`, { method: 'POST', headers: this.headers(), body: form });
  }

  /** Posts a file that is to be accepted. */
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
  async finished(family: FamilyName, requestId: string): Promise<UploadRequestRecord> {
    const until = Date.now() + FINISH_MS;
    for (;;) {
      const answer = await this.get(family, requestId);
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
      const record = (await answer.json()) as UploadRequestRecord;
      if (record.status === 'succeeded' || record.status === 'failed') return record;
      if (Date.now() > until) throw new Error(`${requestId} is still ${record.status}`);
      await sleep(10);
    }
  }

  /** Uploads a file and waits for the end of it. */
  async upload(
    family: FamilyName,
    content: string | Uint8Array<ArrayBuffer>,
  ): Promise<UploadRequestRecord> {
    const { requestId } = await this.create(family, content);
    return this.finished(family, requestId);
  }

  private base(family: FamilyName): string {
    return `http://127.0.0.1:${this.port()}/custom-data-upload/v1.0/${family}/requests`;
  }

  private headers(): Record<string, string> {
    return { Authorization: `SERVICE-API-KEY ${this.token}` };
  }
}
