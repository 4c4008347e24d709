import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { Cluster } from '../../support/service/cluster.js';
import {
  accepted,
  fileOf,
  QUICK,
  retried,
  send,
  storedClicks,
} from '../../support/service/idempotent.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { killedAtEnd } from '../../support/service/preloads/preload.js';
import { type ServiceProcess, tokenFor } from '../../support/service/service-process.js';
import { countFault } from '../../support/service/soak.js';

/** A key gives one upload, whichever gateway gets the file. */

describeWithBroker('two gateways', () => {
  let cluster: Cluster;
  let gateways: ServiceProcess[];
  let token: string;

  beforeAll(async () => {
    cluster = await Cluster.open({ env: QUICK });
    token = await tokenFor(cluster.sharedDir, 'acme');
    // One after the other: a gateway that is busy starting is slow to answer.
    await cluster.start('ingest');
    await cluster.start('status');
    gateways = [await cluster.start('gateway'), await cluster.start('gateway')];
  });
  afterAll(() => cluster.close());

  test('make one request of ten uploads at once, and know each other’s keys', async () => {
    const client = new ApiClient(() => gateways[0]!.ports.api, token);
    for (const key of ['one', 'two', 'three']) {
      const all = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          accepted(send(gateways[i % 2]!, token, key, fileOf(key))),
        ),
      );
      const [requestId, ...others] = new Set(all.map((record) => record.requestId));
      expect(others).toEqual([]);
      await client.finished('cost', requestId!);
      expect(await cluster.query(`${storedClicks}${key}'`)).toEqual([{ clicks: 1, rows: 1 }]);
    }
    expect((await send(gateways[1]!, token, 'one', fileOf('another'))).status).toBe(422);
  });

  test('the retry of an upload whose gateway died goes through the other', async () => {
    const doomed = await cluster.start('gateway', killedAtEnd('before'));
    await expect(send(doomed, token, 'doomed', fileOf('doomed'))).rejects.toThrow();
    countFault('gateway killed amid an upload');
    expect((await send(gateways[0]!, token, 'doomed', fileOf('doomed'))).status).toBe(409);
    const [first, second] = await Promise.all(
      gateways.map((gateway) =>
        accepted(retried(() => send(gateway, token, 'doomed', fileOf('doomed')))),
      ),
    );
    expect(first!.requestId).toBe(second!.requestId);
  });
});
