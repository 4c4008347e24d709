import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../helpers/api-client.js';
import { Deployment } from '../helpers/deployment.js';
import { describeWithBroker } from '../helpers/kafka.js';
import { tokenFor } from '../helpers/service-process.js';
import { COST, csvOf } from '../helpers/warehouse-model.js';

describeWithBroker('the service on Kafka', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.open({ log: 'kafka', warehouse: 'chdb' });
  }, 120_000);
  afterAll(() => deployment.close());

  test('takes an upload from HTTP through the brokers into the reports', async () => {
    const token = await tokenFor(deployment.dataDir, 'acme');
    let t = performance.now();
    const service = await deployment.start({ LOG_LEVEL: 'debug' });
    console.log('started', performance.now() - t);
    const client = new ApiClient(() => service.ports.api, token);
    const row = {
      date: '2026-02-01',
      channel: 'news',
      currency: 'EUR',
      campaign: 'one',
      impressions: '1',
      clicks: '1',
      cost: '1',
    };
    for (let i = 0; i < 10; i++) {
      t = performance.now();
      expect(await client.upload('cost', csvOf(COST, [row]))).toMatchObject({
        status: 'succeeded',
      });
      console.log('uploaded', performance.now() - t);
    }
    t = performance.now();
    expect(await service.stop()).toBe(0);
    console.log('stopped', performance.now() - t);
    console.log(service.logs.filter((l) => l['level'] !== 'debug'));
  });
});
