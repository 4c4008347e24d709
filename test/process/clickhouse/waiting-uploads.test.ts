import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { logFolder } from '../../../src/config/data-folder.js';
import { v7 as uuidv7 } from 'uuid';
import type { UploadEnd } from '../../../src/log/uploads/upload-records.js';
import { FormattedLog } from '../../../src/log/formatted-log.js';
import { LmdbLog } from '../../../src/log/lmdb/lmdb-log.js';
import { Deployment } from '../../support/service/deployment.js';
import { COST, csvOf } from '../../support/model/warehouse-model.js';

/** The built service on a log that has the ends of many uploads side by side. */

const UPLOADS = 60;
const ROWS = 1_000;
const FILE = Buffer.from(
  csvOf(
    COST,
    Array.from({ length: ROWS }, (_, i) => ({
      date: '2026-02-01',
      channel: 'news',
      currency: 'EUR',
      campaign: `campaign ${i}`,
      impressions: '1',
      clicks: '1',
      cost: '1',
      ad_group: 'x'.repeat(200),
    })),
  ),
);
const ROOM_BYTES = 1_048_576;

let deployment: Deployment;
beforeAll(async () => {
  deployment = await Deployment.open({ log: 'lmdb', warehouse: 'clickhouse' });
  const raw = LmdbLog.open({
    dir: logFolder(deployment.dataDir),
    retentionMs: 3_600_000,
    timeoutMs: 10_000,
  });
  const log = new FormattedLog(raw);
  const ids = Array.from({ length: UPLOADS }, () => uuidv7({ msecs: Date.now() }));
  const append = async (requestId: string, type: string, value: Buffer): Promise<number> => {
    const headers = { type, requestId, account: requestId, family: 'cost', sequence: '0' };
    const [position] = await log.append('uploads', [{ key: requestId, headers, value }]);
    return position!.offset;
  };
  const first: number[] = [];
  for (const id of ids) first.push(await append(id, 'chunk', FILE));
  for (const [i, id] of ids.entries()) {
    const end: UploadEnd = {
      chunks: 1,
      bytes: FILE.length,
      firstOffset: first[i]!,
      acceptedAt: Date.now(),
      version: String(i + 1),
      finding: null,
      requestDay: 20_000,
      integratedChannels: [],
    };
    await append(id, 'end', Buffer.from(JSON.stringify(end)));
  }
  await log.close();
});
afterAll(() => deployment.close());

test('no more of them wait for the warehouse than may, and all are stored when it goes on', async () => {
  const server = deployment.clickhouse!;
  await server.fault({ kind: 'hang', on: 'insert' });
  await deployment.start({
    CLICKHOUSE_TIMEOUT_SECONDS: '1',
    WAITING_UPLOADS_MAX_BYTES: String(ROOM_BYTES),
  });
  // As many uploads as there is room for, and one more.
  const most = Math.ceil(ROOM_BYTES / FILE.length);
  for (
    let seen = 0;
    seen < most;
    seen = await deployment.service.metric('custom_data_uploads_in_flight')
  ) {
    await sleep(50);
  }
  await sleep(1_000);
  expect(await deployment.service.metric('custom_data_uploads_in_flight')).toBe(most);
  await server.heal();
  const counted = 'SELECT count() AS rows, uniqExact(account) AS accounts FROM cost_rows';
  for (let rows: unknown[] = []; ; rows = await deployment.query(counted)) {
    if (JSON.stringify(rows) === `[{"rows":${UPLOADS * ROWS},"accounts":${UPLOADS}}]`) break;
    await sleep(100);
  }
});
