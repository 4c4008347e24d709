import { expect, test } from '@jest/globals';

import { until } from '../../support/until.js';
import { ApiClient } from '../../support/service/api-client.js';
import { Deployment } from '../../support/service/deployment.js';
import { clockShiftedBy } from '../../support/service/preloads/preload.js';
import { tokenFor } from '../../support/service/service-process.js';

const DAY = 86_400_000;
const KEPT = { HISTORY_RETENTION_DAYS: '32' };
const FILE =
  'date,channel,currency,campaign,impressions,clicks,cost\n2026-02-01,news,EUR,old,1,1,0.5\n';

test('a request older than HISTORY_RETENTION_DAYS is 404 and deleted, and its rows stay', async () => {
  const deployment = await Deployment.open({ log: 'lmdb', warehouse: 'chdb' });
  try {
    const token = await tokenFor(deployment.dataDir, 'acme');
    const client = new ApiClient(() => deployment.service.ports.api, token);
    const rowsOf = async (table: string): Promise<number> => {
      const [found] = await deployment.query<{ rows: number }>(
        `SELECT toUInt32(count()) AS rows FROM ${table}`,
      );
      return found!.rows;
    };
    await deployment.start(KEPT);
    const { requestId } = await client.upload('cost', FILE);
    await until(async () => (await rowsOf('request_transitions')) > 0);
    await until(async () => (await rowsOf('audit_events')) > 0);
    await deployment.service.stop();

    await deployment.start({ ...KEPT, ...clockShiftedBy(31 * DAY) });
    expect((await client.get('cost', requestId)).status).toBe(200);
    expect(await rowsOf('request_transitions')).toBeGreaterThan(0);
    await deployment.service.stop();

    await deployment.start({ ...KEPT, ...clockShiftedBy(34 * DAY) });
    expect((await client.get('cost', requestId)).status).toBe(404);
    await until(async () => (await rowsOf('request_transitions')) === 0);
    await until(async () => (await rowsOf('audit_events')) === 0);
    expect(await rowsOf('cost_rows')).toBe(1);
  } finally {
    await deployment.close();
  }
});
