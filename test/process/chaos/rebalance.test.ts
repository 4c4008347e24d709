import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { createClient } from '../../../src/log/kafka/client.js';
import { createLogger } from '../../../src/ops/logger.js';
import { until } from '../../support/until.js';
import { Cluster } from '../../support/service/cluster.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { Load } from '../../support/service/load.js';
import type { ServiceProcess } from '../../support/service/service-process.js';
import { countFault, IS_SOAK } from '../../support/service/soak.js';

/** Ingest processes join and leave while uploads are open and while finished ones wait. */

/** Half of the changes are joins, half are departures. */
const CHANGES = IS_SOAK ? 4 : 2;
/** An upload stays open across one or two changes. */
const UPLOAD_MS = 4_000;
const BETWEEN_MS = 2_500;
const GROUP = 'custom-data.ingest';

describeWithBroker('a rebalance', () => {
  let cluster: Cluster;
  let gateway: ServiceProcess;
  let status: ServiceProcess;
  beforeAll(async () => {
    cluster = await Cluster.open({
      // A leaving process does not wait for the warehouse: the others process its uploads.
      env: { SHUTDOWN_SECONDS: '2', CLICKHOUSE_TIMEOUT_SECONDS: '2' },
    });
    [gateway, status] = await Promise.all([cluster.start('gateway'), cluster.start('status')]);
  });
  afterAll(() => cluster.close(), 120_000);

  test.each([
    ['while uploads are open', 'open', undefined],
    ['while finished uploads wait for the warehouse', 'waiting', 'hang'],
  ] as const)('%s: each is processed once, whole', async (name, accounts, kind) => {
    const { sharedDir, clickhouse } = cluster;
    const load = await Load.create({
      clients: 6,
      accounts,
      dataDir: sharedDir,
      port: () => gateway.ports.api,
      files: { rows: 1_100, overMs: UPLOAD_MS },
    });
    let members = [await cluster.start('ingest')];
    load.start();
    await load.atLeast(1);
    const { struck } = await clickhouse.counts();
    if (kind !== undefined) await clickhouse.fault({ kind, on: 'insert' });
    for (let change = 0; change < CHANGES; change++) {
      await sleep(BETWEEN_MS);
      await isUnderWay(members);
      if (kind !== undefined) expect((await clickhouse.counts()).struck).toBeGreaterThan(struck);
      if (change < CHANGES / 2) {
        members.push(await cluster.start('ingest'));
      } else {
        const [oldest, ...others] = members;
        expect(await oldest!.stop()).toBe(0);
        members = others;
      }
      await settled(members.length);
      countFault(`group rebalanced ${name}`);
    }
    await clickhouse.heal();
    await load.stop();
    await load.expectAllAsModelled(cluster, status);
    for (const member of members) expect(await member.stop()).toBe(0);

    /** Resolves when every member has uploads that are open, or that wait for the warehouse. */
    async function isUnderWay(members: readonly ServiceProcess[]): Promise<void> {
      const metric =
        kind === undefined ? 'custom_data_open_uploads' : 'custom_data_uploads_in_flight';
      for (const member of members) await until(async () => (await member.metric(metric)) > 0, 50);
    }
  });

  /** Resolves when the group has so many members, and no rebalance is under way. */
  async function settled(members: number): Promise<void> {
    const { brokers } = cluster.broker;
    const admin = createClient(
      { brokers, tls: undefined, sasl: undefined },
      10_000,
      createLogger('silent'),
    ).admin();
    await admin.connect();
    try {
      await until(async () => {
        const { groups } = await admin.describeGroups([GROUP]);
        return groups[0]?.state === 'Stable' && groups[0].members.length === members;
      }, 50);
    } finally {
      await admin.disconnect();
    }
  }
});
