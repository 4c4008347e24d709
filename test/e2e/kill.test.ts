import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { ApiClient } from '../helpers/api-client.js';
import { expectViewsToEqual } from '../helpers/compare-views.js';
import { expectInvariants } from '../helpers/invariants.js';
import { Deployment, DEPLOYMENTS } from '../helpers/deployment.js';
import { tokenFor } from '../helpers/service-process.js';
import { COST, csvOf, type CsvRow, WarehouseModel } from '../helpers/warehouse-model.js';

/** SIGKILL at any moment under load loses nothing, doubles nothing, halves nothing. */

const KILLS = 5;
const CLIENTS = 6;
const FIRST_KILL_MS = 300;
const LAST_KILL_MS = 1_500;

interface Sent {
  readonly requestId: string;
  readonly isValid: boolean;
}

/** One account that uploads one file after the other until it is told to stop. */
class Uploader {
  readonly accepted: Sent[] = [];
  private running = true;
  private number = 0;

  constructor(
    readonly account: string,
    readonly client: ApiClient,
    private readonly model: WarehouseModel,
  ) {}

  async run(): Promise<void> {
    while (this.running) {
      const isValid = this.number % 5 !== 4;
      const rows = this.rows(isValid);
      // A create without an answer may have been accepted: the same file sent again leaves the same
      // rows either way.
      const requestId = await this.createUntilAccepted(csvOf(COST, rows));
      this.accepted.push({ requestId, isValid });
      if (isValid) this.model.apply(this.account, COST, rows);
      this.number++;
    }
  }

  stop(): void {
    this.running = false;
  }

  /** Files of several chunks and of one row; each overwrites a part of what the one before left. */
  private rows(isValid: boolean): CsvRow[] {
    const size = this.number % 3 === 0 ? 4_000 : 3;
    return Array.from({ length: size }, (_, i) => ({
      date: `2026-02-${String(1 + (i % 28)).padStart(2, '0')}`,
      channel: 'news',
      currency: 'EUR',
      campaign: `campaign ${(this.number % 2) + Math.floor(i / 56)}`,
      impressions: String(i),
      clicks: isValid ? String(this.number) : 'many',
      cost: String(this.number / 4),
    }));
  }

  private async createUntilAccepted(file: string): Promise<string> {
    for (;;) {
      try {
        const answer = await this.client.post('cost', file);
        if (answer.status === 201) {
          return ((await answer.json()) as { requestId: string }).requestId;
        }
        if (answer.status !== 503 && answer.status !== 401) throw new Unexpected(answer.status);
      } catch (error) {
        if (error instanceof Unexpected) throw error;
      }
      await sleep(20);
    }
  }
}

class Unexpected extends Error {
  constructor(status: number) {
    super(`unexpected answer ${status}`);
  }
}

describe.each(DEPLOYMENTS)('on $log and $warehouse', (kind) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.open(kind);
  });
  afterAll(() => deployment.close());

  test('everything answered with 201 ends as the model says, through any number of kills', async () => {
    const model = new WarehouseModel();
    const uploaders: Uploader[] = [];
    for (let i = 0; i < CLIENTS; i++) {
      const account = `killed-${i}`;
      const token = await tokenFor(deployment.dataDir, account);
      const client = new ApiClient(() => deployment.service.ports.api, token);
      uploaders.push(new Uploader(account, client, model));
    }
    await deployment.start();
    const running = uploaders.map((uploader) => uploader.run());

    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(FIRST_KILL_MS + Math.random() * (LAST_KILL_MS - FIRST_KILL_MS));
      await deployment.service.kill();
      await deployment.start();
    }
    // On a slow machine the time between two kills is short for as many uploads.
    while (uploaders.some(({ accepted }) => accepted.length <= KILLS)) await sleep(50);
    for (const uploader of uploaders) uploader.stop();
    await Promise.all(running);

    for (const { account, accepted, client } of uploaders) {
      expect(accepted.length).toBeGreaterThan(0);
      for (const { requestId, isValid } of accepted) {
        expect(await client.finished('cost', requestId)).toMatchObject(
          isValid
            ? { status: 'succeeded', prevStatus: 'ingested', reason: null }
            : { status: 'failed', prevStatus: 'uploaded' },
        );
      }
      await expectViewsToEqual(deployment, model, account);
    }
    const all = uploaders.flatMap(({ accepted }) => accepted);
    await expectInvariants(deployment.service, {
      succeeded: all.filter(({ isValid }) => isValid).length,
      failed: all.filter(({ isValid }) => !isValid).length,
    });
  }, 180_000);
});
