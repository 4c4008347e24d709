import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { Deployment, describeDeployments } from '../../support/service/deployment.js';
import { tokenFor } from '../../support/service/service-process.js';

/** Archives a metric from a second process while the service runs. */

const APPLY_MS = 60_000;

describeDeployments((kind) => {
  let deployment: Deployment;
  let client: ApiClient;

  beforeAll(async () => {
    deployment = await Deployment.open(kind);
    const token = await tokenFor(deployment.dataDir, 'acme');
    client = new ApiClient(() => deployment.service.ports.api, token);
    await deployment.start();
  });
  afterAll(() => deployment.close());

  /** Of every upload, also of those after midnight. */
  const today = new Date().toISOString().slice(0, 10);

  const upload = async (): Promise<void> => {
    const rows = `${today},news,Visits,5\n${today},news,Orders,2\n`;
    const file = `date,channel,event_category,event_value\n${rows}`;
    expect(await client.upload('self-serve', file)).toMatchObject({ status: 'succeeded' });
  };

  async function expectReported(names: readonly string[]): Promise<void> {
    const until = Date.now() + APPLY_MS;
    for (;;) {
      const rows = await deployment.query<{ event_category: string }>(
        'SELECT event_category FROM self_serve_report ORDER BY event_category',
      );
      const reported = rows.map((row) => row.event_category);
      if (reported.length === names.length || Date.now() > until) {
        expect(reported).toEqual(names);
        return;
      }
      await sleep(100);
    }
  }

  test('an archived metric leaves the reports, its rows stay, and restoring brings it back', async () => {
    await upload();
    await expectReported(['Orders', 'Visits']);

    await deployment.customData('metrics', 'archive', 'Visits', '--account', 'acme');
    await expectReported(['Orders']);
    expect(await deployment.query('SELECT count() AS rows FROM self_serve_rows')).toEqual([
      { rows: 2 },
    ]);
    expect(await deployment.customData('metrics', 'list', '--account', 'acme')).toMatch(
      /Visits .* yes/,
    );

    // A new upload of the metric does not restore it.
    await upload();
    await expectReported(['Orders']);

    await deployment.customData('metrics', 'restore', 'Visits', '--account', 'acme');
    await expectReported(['Orders', 'Visits']);
    expect(await deployment.customData('metrics', 'list', '--account', 'acme')).not.toMatch(/ yes/);
  });
});
