import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, test } from '@jest/globals';

import { Deployment, describeDeployments } from '../../support/service/deployment.js';
import { Load } from '../../support/service/load.js';
import { IS_SOAK } from '../../support/service/soak.js';
import { until } from '../../support/until.js';

/** SIGKILL at any moment under load: no upload is lost, duplicated or stored in part. */

const KILLS = 3;
const CLIENTS = IS_SOAK ? 6 : 3;
const FIRST_KILL_MS = 300;
const LAST_KILL_MS = 1_500;

describeDeployments((kind) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.open(kind);
  });
  afterAll(() => deployment.close());

  test('everything answered with 201 ends as the model says, through any number of kills', async () => {
    const { dataDir } = deployment;
    const port = (): number => deployment.service.ports.api;
    const load = await Load.create({ clients: CLIENTS, dataDir, port });
    await deployment.start();
    load.start();
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(FIRST_KILL_MS + Math.random() * (LAST_KILL_MS - FIRST_KILL_MS));
      await until(() => load.sendingSince.size > 0);
      await deployment.service.kill();
      await deployment.start();
    }
    // On a slow machine the time between two kills is too short for as many uploads.
    await load.atLeast(KILLS + 1);
    await load.stop();
    await load.expectAllAsModelled(deployment, deployment.service);
  });
});
