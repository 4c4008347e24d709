import { setTimeout as sleep } from 'node:timers/promises';

import { CONSUMER_GROUPS, type UploadLog } from '../../../src/log/upload-log.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { logFolder } from '../../../src/config/data-folder.js';
import { LmdbLog } from '../../../src/log/lmdb/lmdb-log.js';
import { clientOf } from '../../support/service/client-of.js';
import { Cluster } from '../../support/service/cluster.js';
import { expectViewsToEqual, type QueryTarget } from '../../support/model/compare-views.js';
import { Deployment } from '../../support/service/deployment.js';
import { expectInvariants } from '../../support/service/invariants.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { KafkaLogs } from '../../support/kafka/kafka.js';
import { Load } from '../../support/service/load.js';
import type { ServiceProcess } from '../../support/service/service-process.js';
import { countFault } from '../../support/service/soak.js';
import { appendAgain, ingestIdle, recordsOf } from '../../support/kafka/uploads-topic.js';
import { COST, csvOf, type CsvRow, WarehouseModel } from '../../support/model/warehouse-model.js';

/** Reading all records again, or reading them in another order, changes nothing. */

const RETENTION_MS = 7 * 86_400_000;

/** Returns the API's answer for each request that the warehouse knows, by request id. */
async function answers(
  warehouse: QueryTarget,
  gateway: ServiceProcess,
  tokensDir: string,
): Promise<Record<string, unknown>> {
  const requests = await warehouse.query<{ id: string; account: string }>(
    'SELECT toString(request_id) AS id, account FROM upload_requests ORDER BY id',
  );
  const accounts = [...new Set(requests.map(({ account }) => account))];
  // Side by side, because a running gateway takes a moment to accept a new token.
  const clients = new Map(
    await Promise.all(
      accounts.map(async (account) => {
        return [account, await clientOf(account, tokensDir, () => gateway)] as const;
      }),
    ),
  );
  const found: Record<string, unknown> = {};
  for (const { id, account } of requests) {
    found[id] = await clients.get(account)!.finished('cost', id);
  }
  return found;
}

describeWithBroker('on Kafka and ClickHouse', () => {
  let cluster: Cluster;
  let logs: KafkaLogs;
  let log: UploadLog;
  let gateway: ServiceProcess;
  let ingest: ServiceProcess;
  let status: ServiceProcess;

  beforeAll(async () => {
    cluster = await Cluster.open();
    [gateway, ingest, status] = await Promise.all([
      cluster.start('gateway'),
      cluster.start('ingest'),
      cluster.start('status'),
    ]);
    logs = new KafkaLogs(() => [cluster.broker.address]);
    log = await logs.open({ prefix: 'custom-data.' });
  });
  afterAll(async () => {
    await logs.cleanUp();
    await cluster.close();
  });

  /** Commits offsets for the ingest group while it has no members. */
  async function commit(offsets: readonly number[]): Promise<void> {
    const partitions = offsets.map((offset, partition) => ({ partition, offset: String(offset) }));
    const groupId = `custom-data.${CONSUMER_GROUPS.ingest.group}`;
    const place = { groupId, topic: 'custom-data.uploads', partitions };
    for (const end = Date.now() + 60_000; ;) {
      try {
        await logs.admin((admin) => admin.setOffsets(place));
        return;
      } catch (error) {
        // A member that could not leave in time stays for its session.
        if (Date.now() > end || !String(error).includes('no running instances')) throw error;
      }
      await sleep(500);
    }
  }

  test('all records read from the beginning leave every row and every state as they were', async () => {
    const load = await Load.create({
      clients: 3,
      dataDir: cluster.sharedDir,
      port: () => gateway.ports.api,
    });
    load.start();
    await load.atLeast(6);
    await load.stop();
    await load.expectAllAsModelled(cluster, status);
    const before = await answers(cluster, gateway, cluster.sharedDir);

    await ingest.stop();
    await commit((await log.endOffsets('uploads')).map(() => 0));
    ingest = await cluster.restart(ingest, 'ingest');
    await ingestIdle(log);

    await load.expectAllAsModelled(cluster, status);
    expect(await answers(cluster, gateway, cluster.sharedDir)).toEqual(before);
    // A gateway that has seen only the replay gives the same answers.
    await gateway.stop();
    gateway = await cluster.restart(gateway, 'gateway');
    expect(await answers(cluster, gateway, cluster.sharedDir)).toEqual(before);
    countFault('all records read again');
  });

  test('the later accepted wins, processed first, or second, or in the same batch', async () => {
    const account = 'reversed';
    const client = await clientOf(account, cluster.sharedDir, () => gateway);
    const model = new WarehouseModel();
    const row = (campaign: string, cost: number): CsvRow => ({
      date: '2026-02-01',
      channel: 'news',
      currency: 'EUR',
      campaign,
      impressions: '1',
      clicks: '1',
      cost: String(cost),
    });
    const accept = async (rows: readonly CsvRow[]): Promise<string> => {
      const { requestId } = await client.create('cost', csvOf(COST, rows));
      model.apply(account, COST, rows);
      return requestId;
    };
    await ingest.stop();
    const pairs: { earlier: string; later: string }[] = [];
    for (const way of ['apart', 'together']) {
      const earlier = await accept([row(way, 1), row(`${way}, earlier`, 2)]);
      const later = await accept([row(way, 3), row(`${way}, later`, 4)]);
      pairs.push({ earlier, later });
    }
    const [apart, together] = await Promise.all(
      pairs.map(async ({ earlier, later }) => ({
        earlier: await recordsOf(log, earlier),
        later: await recordsOf(log, later),
      })),
    );
    // Skips the original records. Ingest reads only their copies, in the opposite order.
    await commit(await log.endOffsets('uploads'));
    await appendAgain(log, together!.later, 0);
    await appendAgain(log, together!.earlier, 0);
    await appendAgain(log, apart!.later, 1);
    ingest = await cluster.restart(ingest, 'ingest');
    expect(await client.finished('cost', pairs[0]!.later)).toMatchObject({ status: 'succeeded' });
    expect((await client.get('cost', pairs[0]!.earlier)).ok).toBe(true);
    await appendAgain(log, apart!.earlier, 2);
    // And once more, in the original order.
    await appendAgain(log, apart!.earlier, 3);
    await appendAgain(log, apart!.later, 3);
    await ingestIdle(log);

    for (const requestId of pairs.flatMap(({ earlier, later }) => [earlier, later])) {
      expect(await client.finished('cost', requestId)).toMatchObject({
        status: 'succeeded',
        prevStatus: 'ingested',
      });
    }
    await expectViewsToEqual(cluster, model, account);
    countFault('uploads read in another order', pairs.length);
    await expectInvariants(status, cluster, {
      account,
      succeeded: pairs.flatMap(({ earlier, later }) => [earlier, later]),
      rows: model.rowsApplied(account),
    });
  });
});

describe('embedded', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.open({ log: 'lmdb', warehouse: 'chdb' });
    await deployment.start();
  });
  afterAll(() => deployment.close());

  test('all records read from the beginning leave every row and every state as they were', async () => {
    const { dataDir } = deployment;
    const port = (): number => deployment.service.ports.api;
    const load = await Load.create({ clients: 3, dataDir, port });
    load.start();
    await load.atLeast(6);
    await load.stop();
    await load.expectAllAsModelled(deployment, deployment.service);
    const before = await answers(deployment, deployment.service, dataDir);

    await deployment.service.stop();
    const log = LmdbLog.open({
      dir: logFolder(dataDir),
      retentionMs: RETENTION_MS,
      timeoutMs: 10_000,
    });
    const ends = await log.endOffsets('uploads');
    const consumption = await log.consume('uploads', CONSUMER_GROUPS.ingest.group, {
      assigned: () => undefined,
      revoked: () => undefined,
      records: () => Promise.resolve(),
    });
    for (const partition of ends.keys()) await consumption.commit(partition, 0);
    await consumption.stop();
    expect(await log.committedOffsets('uploads', CONSUMER_GROUPS.ingest.group)).toEqual(
      ends.map(() => 0),
    );
    await log.close();

    await deployment.start();
    // Ingest processes the old records before any later ones.
    const watch = LmdbLog.open({
      dir: logFolder(dataDir),
      retentionMs: RETENTION_MS,
      timeoutMs: 10_000,
    });
    await ingestIdle(watch);
    await watch.close();
    await load.expectAllAsModelled(deployment, deployment.service);
    expect(await answers(deployment, deployment.service, dataDir)).toEqual(before);
    countFault('all records read again');
  });
});
