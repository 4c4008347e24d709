import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { logFolder } from '../../../src/config/data-folder.js';
import { LmdbLog } from '../../../src/log/lmdb/lmdb-log.js';
import { ApiClient } from '../../support/service/api-client.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';

const FILE =
  'date,channel,currency,campaign,impressions,clicks,cost\n2026-02-01,news,EUR,one,1,1,0.5\n';

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeMigratedDir();
});
afterEach(() => removeDataDir(dataDir));

test('a gateway that can follow the claims on keys no longer ends, and never looks alive', async () => {
  const token = await tokenFor(dataDir, 'acme');
  const service = await ServiceProcess.start(dataDir);
  const client = new ApiClient(() => service.ports.api, token);
  const answer = await client.post('cost', FILE, 0, 'a-key');
  expect(answer.status).toBe(201);

  const log = LmdbLog.open({ dir: logFolder(dataDir), retentionMs: 3_600_000, timeoutMs: 10_000 });
  const value = Buffer.from('no claim');
  await log.append('claims', [{ key: '', partition: 0, headers: {}, value }]);
  await log.close();

  expect(await service.exited).toBe(1);
  expect(service.logs.map(({ msg }) => msg)).toContain('cannot go on, stopping');
});
