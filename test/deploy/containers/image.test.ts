import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';
import { Container } from '../../support/machine/container/container.js';
import { buildImage, describeWithPodman, podman } from '../../support/machine/container/podman.js';
import { freePorts } from '../../support/machine/free-ports.js';
import { canStartBroker, KafkaBroker } from '../../support/kafka/kafka-broker.js';

/** The build fetches and compiles packages. The first build also fetches the base image. */
const BUILD_MS = 600_000;
const ACCOUNTS = '/var/lib/custom-data-accounts';
const FILE =
  'date,channel,currency,campaign,impressions,clicks,cost\n2026-01-01,news,EUR,a,1,2,3\n';

describeWithPodman('the image', () => {
  let image: string;
  let clickhouse: ClickHouseHttp;
  let broker: KafkaBroker | undefined;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    image = await buildImage();
    clickhouse = await ClickHouseHttp.start();
    // Without a broker the test uses the embedded log, which the image contains as well.
    broker = canStartBroker() ? await KafkaBroker.start() : undefined;
    env = { ...clickhouse.env, ...(broker !== undefined && { KAFKA_BROKERS: broker.address }) };
  }, BUILD_MS);
  afterAll(async () => {
    await broker?.stop();
    await clickhouse.stop();
    await podman(['rmi', '--force', image]);
  });

  it('makes the schema, and takes an upload with all its roles, confined as it is deployed', async () => {
    const migration = Container.run(
      image,
      env,
      [],
      ['node', 'dist/clients/cli/main.js', 'migrate'],
    );
    expect([await migration.exited, migration.lines]).toEqual([0, expect.anything()]);

    const [http, ops] = (await freePorts(2)) as [number, number];
    const ports = { HTTP_HOST: '127.0.0.1', HTTP_PORT: String(http), OPS_PORT: String(ops) };
    const service = Container.run(image, { ...env, ...ports }, [ACCOUNTS]);
    let code: number | null = null;
    try {
      await service.healthy();
      expect(await service.exec('id', '--user')).toBe('1000\n');
      await expect(service.exec('touch', '/tmp/file')).rejects.toThrow('Read-only file system');

      const token = await service.exec(
        ...[
          'node',
          'dist/clients/cli/main.js',
          'tokens',
          'create',
          '--account',
          'acme',
          '--role',
          'owner',
        ],
      );
      const client = new ApiClient(() => http, token.trim());
      while ((await client.get('cost', 'none').catch(() => undefined))?.status !== 400) {
        // A live service may not be ready yet, and takes up to a second to accept a new token.
        await sleep(100);
      }
      expect(await client.upload('cost', FILE)).toMatchObject({ status: 'succeeded' });
      expect(await clickhouse.query('SELECT account, cost FROM cost_report')).toEqual([
        { account: 'acme', cost: 3 },
      ]);
    } finally {
      code = await service.stop();
    }
    const said = service.lines.slice(-5).join('\n');
    expect(said).toMatch(/"msg":"stopped"[^\n]*$/);
    expect(code).toBe(0);
  });

  it('ends a process whose main thread is blocked', async () => {
    const blocked = `
      import { Watchdog } from './dist/ops/watchdog.js';
      new Watchdog(2);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
    const program = ['node', '--input-type=module', '--eval', blocked];
    const container = Container.run(image, {}, [], program);
    expect([await container.exited, container.lines]).toEqual([
      137,
      expect.arrayContaining(['the process kills itself: its main thread is blocked']),
    ]);
  });

  it('leaves the embedded engine out', async () => {
    const listing = Container.run(image, {}, [], ['ls', 'node_modules', 'node_modules/@chdb']);
    expect(await listing.exited).not.toBe(0);
    expect(listing.lines).toContain('lmdb');
    expect(listing.lines).not.toContain('chdb');
  });
});
