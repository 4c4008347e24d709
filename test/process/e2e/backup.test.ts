import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { adapted, commandsOf, sh, TOOL } from '../../support/documents/commands.js';
import { snippet } from '../../support/documents/page.js';
import { ApiClient } from '../../support/service/api-client.js';
import { expectHistoryToHave, expectViewsToEqual } from '../../support/model/compare-views.js';
import { costRows } from '../../support/files/cost-rows.js';
import { Deployment } from '../../support/service/deployment.js';
import { makeDataDir, removeDataDir, tokenFor } from '../../support/service/service-process.js';
import { COST, csvOf, WarehouseModel } from '../../support/model/warehouse-model.js';
import { until } from '../../support/until.js';

/** The procedures of the operations page: back up, restore, replay the uploads after a backup. */

const ACCOUNT = 'acme';
/** Rows of a file that is uploaded during the backup. */
const ROWS = 500;
const BACKED_UP = ['log', 'warehouse', 'tokens.json'];

let deployment: Deployment;
let client: ApiClient;
let backup: string;
const model = new WarehouseModel();
const uploads: { requestId: string; family: string }[] = [];

beforeEach(async () => {
  deployment = await Deployment.open({ log: 'lmdb', warehouse: 'chdb' });
  backup = await makeDataDir();
  const token = await tokenFor(deployment.dataDir, ACCOUNT);
  client = new ApiClient(() => deployment.service.ports.api, token);
  await deployment.start();
});
afterEach(async () => {
  await deployment.close();
  await removeDataDir(backup);
});

async function upload(clicks: number): Promise<void> {
  const rows = costRows(['a', 'b', String(clicks)], clicks);
  const record = await client.upload('cost', csvOf(COST, rows));
  expect(record).toMatchObject({ status: 'succeeded' });
  uploads.push({ requestId: record.requestId, family: 'cost' });
  model.apply(ACCOUNT, COST, rows);
}

async function copyWhileStopped(): Promise<void> {
  expect(await deployment.service.stop()).toBe(0);
  for (const name of BACKED_UP) {
    await cp(join(deployment.dataDir, name), join(backup, name), { recursive: true });
  }
}

test('a backup into an empty folder is the service as it was, and what came after it is replayed', async () => {
  await upload(1);
  const time = new Date().toISOString();
  await copyWhileStopped();
  await deployment.start();
  await upload(2);
  expect(await deployment.service.stop()).toBe(0);

  // Everything but the log is lost. The test restores the backup with today's log.
  const { dataDir } = deployment;
  await rename(join(dataDir, 'log'), join(backup, 'log-of-today'));
  await rm(dataDir, { recursive: true });
  for (const name of BACKED_UP) {
    const from = name === 'log' ? 'log-of-today' : name;
    await cp(join(backup, from), join(dataDir, name), { recursive: true });
  }
  const replay = adapted(snippet('operations.md', 'replay --from'), {
    'npx custom-data': TOOL,
    '2026-11-21T08:00:00Z': time,
  });
  await sh(replay, deployment.toolEnv);
  await deployment.start();
  const again = `SELECT 1 FROM cost_rows WHERE campaign = '2'`;
  await until(async () => (await deployment.query(again)).length > 0, 50);
  await expectViewsToEqual(deployment, model, ACCOUNT);

  // With the backup alone, everything is as it was at the backup, including tokens.
  expect(await deployment.service.stop()).toBe(0);
  await rm(dataDir, { recursive: true });
  await rm(join(backup, 'log-of-today'), { recursive: true });
  await cp(backup, dataDir, { recursive: true });
  await deployment.start();
  const before = uploads.slice(0, 1);
  await expectHistoryToHave(deployment, ACCOUNT, before);
  expect(await deployment.query('SELECT DISTINCT clicks FROM cost_rows')).toEqual([{ clicks: 1 }]);
  await upload(3);
});

/** Uploads files one after the other until it is stopped. Each replaces the previous one. */
class Overwriter {
  /** The clicks of the last file that was answered with 201. */
  answered = 0;
  requestId = '';
  readonly done: Promise<void>;

  constructor(
    readonly campaign: string,
    isStopped: () => boolean,
  ) {
    this.done = this.run(isStopped);
  }

  private async run(isStopped: () => boolean): Promise<void> {
    for (let clicks = 1; !isStopped(); clicks++) {
      const row = { date: '2026-02-01', channel: 'news', currency: 'EUR', campaign: this.campaign };
      const file = csvOf(
        COST,
        Array.from({ length: ROWS }, () => ({
          ...row,
          impressions: '1',
          clicks: String(clicks),
          cost: '1',
        })),
      );
      const { requestId } = await client.create('cost', file);
      this.requestId = requestId;
      this.answered = clicks;
    }
  }

  /** Returns what the warehouse has. Files are stored whole, so all rows have the same clicks. */
  async stored(): Promise<{ rows: number; clicks: number[] }> {
    const [stored] = await deployment.query<{ rows: number; clicks: number[] }>(
      `SELECT toUInt32(count()) AS rows, groupUniqArray(clicks) AS clicks
       FROM cost_rows WHERE campaign = '${this.campaign}'`,
    );
    return stored!;
  }
}

test('a backup of a running service that stands still meanwhile has all that it had answered', async () => {
  let isStopped = false;
  const uploaders = ['a', 'b', 'c', 'd'].map((name) => new Overwriter(name, () => isStopped));
  await until(() => uploaders.every(({ answered }) => answered >= 10), 10);

  const { service, dataDir } = deployment;
  const PID = String(service.process.pid);
  const [halt, copyAll, goOn] = commandsOf(snippet('operations.md', 'kill -STOP'));
  await sh(adapted(halt!, { PID }), {});
  const atBackup = uploaders.map(({ answered, requestId }) => ({ answered, requestId }));
  await sh(adapted(copyAll!, { '/path/to/backup': backup }), { DATA_DIR: dataDir });
  expect(uploaders.map(({ answered }) => answered)).toEqual(atBackup.map((at) => at.answered));
  await sh(adapted(goOn!, { PID }), {});
  // The service goes on as if nothing had happened.
  const { answered: before } = atBackup[0]!;
  await until(() => uploaders.every(({ answered }) => answered >= before + 5), 10);
  isStopped = true;
  await Promise.all(uploaders.map(({ done }) => done));
  for (const uploader of uploaders) {
    await client.finished('cost', uploader.requestId);
    expect(await uploader.stored()).toEqual({ rows: ROWS, clicks: [uploader.answered] });
  }

  expect(await service.stop()).toBe(0);
  await rm(dataDir, { recursive: true });
  await cp(backup, dataDir, { recursive: true });
  await deployment.start();
  for (const [i, uploader] of uploaders.entries()) {
    const { answered, requestId } = atBackup[i]!;
    expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
    // An upload without an answer is stored as a whole or not at all.
    const { rows, clicks } = await uploader.stored();
    expect(rows).toBe(ROWS);
    expect([[answered], [answered + 1]]).toContainEqual(clicks);
  }
  await upload(1);
});
