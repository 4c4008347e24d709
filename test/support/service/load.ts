import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@jest/globals';

import { ApiClient } from './api-client.js';
import { expectViewsToEqual, type QueryTarget } from '../model/compare-views.js';
import { expectInvariants, type KnownRequests } from './invariants.js';
import { countChecked } from './soak.js';
import { type ServiceProcess, tokenFor } from './service-process.js';
import { COST, csvOf, type CsvRow, WarehouseModel } from '../model/warehouse-model.js';

/** Shorter than a test's time limit, so that a failure shows what the load waits for. */
const STALLED_MS = 200_000;
/** In every row, so that few rows make several chunks. Each row is compared in the end. */
const TEXT = 'x'.repeat(200);

interface Sent {
  readonly requestId: string;
  readonly isValid: boolean;
}

/** The files of a load, and how they are sent. */
interface Files {
  /** Rows of a large file. */
  readonly rows: number;
  /** One in so many files is large. */
  readonly largeEach: number;
  /** How long the first client takes to send a body. The last client takes nearly twice as long. */
  readonly overMs: number;
  /** Pause between an answer and the next upload. */
  readonly pauseMs: number;
}

/** One account that uploads files one after the other until it is told to stop. */
class Uploader {
  readonly accepted: Sent[] = [];
  /** Number of creates without a 201. */
  unanswered = 0;
  /** When the unanswered request began. */
  sendingSince: number | undefined;
  /** When the last accepted request began. */
  acceptedSince = 0;
  /** Status of the last answer, or the error instead of one. */
  last: unknown;
  private number = 0;

  constructor(
    readonly account: string,
    readonly client: ApiClient,
    private readonly model: WarehouseModel,
    private readonly files: Files,
  ) {}

  async run(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const isValid = this.number % 5 !== 4;
      const rows = this.rows(isValid);
      // A create without an answer may have been accepted. Sending the same file again leaves the
      // same rows either way.
      const requestId = await this.createUntilAccepted(csvOf(COST, rows));
      this.accepted.push({ requestId, isValid });
      if (isValid) this.model.apply(this.account, COST, rows);
      this.number++;
      await sleep(this.files.pauseMs);
    }
  }

  /** Large files and files of three rows. Each overwrites a part of what the previous file left. */
  private rows(isValid: boolean): CsvRow[] {
    const size = this.number % this.files.largeEach === 0 ? this.files.rows : 3;
    return Array.from({ length: size }, (_, i) => ({
      date: `2026-02-${String(1 + (i % 28)).padStart(2, '0')}`,
      channel: 'news',
      currency: 'EUR',
      campaign: `campaign ${(this.number % 2) + Math.floor(i / 56)}`,
      impressions: String(i),
      clicks: isValid ? String(this.number) : 'many',
      cost: String(this.number / 4),
      ad_group: TEXT,
    }));
  }

  private async createUntilAccepted(file: string): Promise<string> {
    for (;;) {
      const since = Date.now();
      this.sendingSince = since;
      const answer = await this.client
        .post('cost', file, this.files.overMs)
        .catch((error: unknown) => {
          this.last = error;
          return undefined;
        });
      this.sendingSince = undefined;
      if (answer !== undefined) this.last = answer.status;
      if (answer?.status === 201) {
        this.acceptedSince = since;
        return ((await answer.json()) as { requestId: string }).requestId;
      }
      // 401: the token is younger than a second.
      if (answer?.status !== 401) this.unanswered++;
      if (answer !== undefined && answer.status !== 503 && answer.status !== 401) {
        throw new Error(`unexpected answer ${answer.status}`);
      }
      await sleep(20);
    }
  }
}

/**
 * Accounts that upload in parallel, each one file after the other, and the model of the rows that
 * must be stored. Files are valid and invalid, small and large, and their keys repeat.
 */
export class Load {
  private readonly model = new WarehouseModel();
  private readonly uploaders: Uploader[] = [];
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  /**
   * @param options.dataDir folder of the tokens file
   * @param options.port port of the gateway for the client with this number; it may change
   */
  static async create(options: {
    readonly clients: number;
    readonly accounts?: string;
    readonly dataDir: string;
    readonly port: (client: number) => number;
    readonly files?: Partial<Files>;
  }): Promise<Load> {
    const load = new Load();
    const { accounts = 'account' } = options;
    const files: Files = { rows: 700, largeEach: 3, overMs: 0, pauseMs: 0, ...options.files };
    for (let i = 0; i < options.clients; i++) {
      const account = `${accounts}-${i}`;
      const token = await tokenFor(options.dataDir, account);
      const client = new ApiClient(() => options.port(i), token);
      // Clients with equal durations would soon send in step, with moments in which nobody sends.
      const overMs = files.overMs * (1 + i / options.clients);
      load.uploaders.push(new Uploader(account, client, load.model, { ...files, overMs }));
    }
    return load;
  }

  start(): void {
    const { signal } = this.stopping;
    this.running = Promise.all(this.uploaders.map((uploader) => uploader.run(signal)));
    // The caller of `stop` gets the error.
    this.running.catch(() => undefined);
  }

  /** Number of accepted uploads of the account that has the fewest. */
  get fewest(): number {
    return Math.min(...this.uploaders.map(({ accepted }) => accepted.length));
  }

  /** Number of accepted uploads of all accounts. */
  get accepted(): number {
    return this.uploaders.reduce((sum, { accepted }) => sum + accepted.length, 0);
  }

  /** When the unanswered request of each account began, in milliseconds since the epoch. */
  get sendingSince(): ReadonlyMap<string, number> {
    const since = new Map<string, number>();
    for (const { account, sendingSince } of this.uploaders) {
      if (sendingSince !== undefined) since.set(account, sendingSince);
    }
    return since;
  }

  /** Resolves when every account has at least this many accepted uploads. */
  async atLeast(uploads: number): Promise<void> {
    await this.until(() => this.fewest >= uploads);
  }

  /** Resolves when every account has an accepted upload that began after this call. */
  async accepts(): Promise<void> {
    const called = Date.now();
    await this.until(() => this.uploaders.every(({ acceptedSince }) => acceptedSince > called));
  }

  /** Resolves when every upload that has begun is answered. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /**
   * Expects every 201 to end as the model says, every view to equal the model, and the invariants
   * to hold.
   *
   * @param status a process with the role `status`, which has the metrics for the invariants
   */
  async expectAllAsModelled(warehouse: QueryTarget, status: ServiceProcess): Promise<void> {
    await this.expectUploadsAsModelled(warehouse);
    await expectInvariants(status, warehouse, ...this.known);
  }

  /** Expects every 201 to end as the model says, and every view to equal the model. */
  async expectUploadsAsModelled(warehouse: QueryTarget): Promise<void> {
    for (const { account, accepted, client } of this.uploaders) {
      expect(accepted.length).toBeGreaterThan(0);
      for (const { requestId, isValid } of accepted) {
        expect(await client.finished('cost', requestId)).toMatchObject(
          isValid
            ? { status: 'succeeded', prevStatus: 'ingested', reason: null }
            : { status: 'failed', prevStatus: 'uploaded' },
        );
      }
      await expectViewsToEqual(warehouse, this.model, account);
      countChecked('uploads', accepted.length);
    }
  }

  private async until(holds: () => boolean): Promise<void> {
    const end = Date.now() + STALLED_MS;
    const poll = async (): Promise<void> => {
      while (!holds()) {
        if (Date.now() > end) throw new Error(`the load makes no progress: ${this.state}`);
        await sleep(50);
      }
    };
    // A load that has failed makes no progress.
    await Promise.race([poll(), this.running]);
  }

  private get state(): string {
    return this.uploaders
      .map(({ account, accepted, unanswered, sendingSince, last }) => {
        const waits =
          sendingSince === undefined ? '' : `, waits for ${Date.now() - sendingSince} ms`;
        return `${account}: ${accepted.length} accepted, ${unanswered} not${waits}, last ${String(last)}`;
      })
      .join('; ');
  }

  /** The input of `expectInvariants`, by account. */
  get known(): readonly KnownRequests[] {
    return this.uploaders.map(({ account, accepted, unanswered }) => ({
      account,
      succeeded: accepted.filter(({ isValid }) => isValid).map(({ requestId }) => requestId),
      failed: accepted.filter(({ isValid }) => !isValid).map(({ requestId }) => requestId),
      rows: this.model.rowsApplied(account),
      unanswered,
    }));
  }
}
