import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import kafkajs from 'kafkajs';

import { ApiClient } from '../support/service/api-client.js';
import { makeCertificate } from '../support/machine/certificate.js';
import { freePorts } from '../support/machine/free-ports.js';
import { KafkaBroker } from '../support/kafka/kafka-broker.js';
import { describeWithBroker } from '../support/kafka/describe-with-broker.js';
import { KafkaLogs } from '../support/kafka/kafka.js';
import {
  makeDataDir,
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../support/service/service-process.js';
import { COST, csvOf } from '../support/model/warehouse-model.js';
import { until } from '../support/until.js';

/** The built service with all roles in one process. `test/process/deployments` also kills it. */

const ROW = {
  date: '2026-02-01',
  channel: 'news',
  currency: 'EUR',
  campaign: 'one',
  impressions: '1',
  clicks: '1',
  cost: '1',
};
const FILE = csvOf(COST, [ROW]);
const SHUTDOWN_SECONDS = 1;
/** SHUTDOWN_SECONDS plus five seconds, and one for a busy machine that notices the end late. */
const END_MS = (SHUTDOWN_SECONDS + 5 + 1) * 1_000;

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeMigratedDir();
});
afterEach(() => removeDataDir(dataDir));

/** Returns a client that has uploaded a file. */
async function uploads(service: ServiceProcess): Promise<ApiClient> {
  const token = await tokenFor(dataDir, 'acme');
  const client = new ApiClient(() => service.ports.api, token);
  await until(async () => (await client.get('cost', crypto.randomUUID())).status === 404);
  expect(await client.upload('cost', FILE)).toMatchObject({ status: 'succeeded' });
  return client;
}

describeWithBroker('the service on Kafka', () => {
  let broker: KafkaBroker;
  beforeAll(async () => {
    broker = await KafkaBroker.start();
  });
  afterAll(() => broker.stop());

  test('takes uploads from HTTP through the brokers into the reports, before and after a restart', async () => {
    const env = { KAFKA_BROKERS: broker.address };
    const first = await ServiceProcess.start(dataDir, env);
    await uploads(first);
    expect(await first.stop()).toBe(0);
    const second = await ServiceProcess.start(dataDir, env);
    await uploads(second);
    expect(await second.query(`SELECT campaign, clicks FROM cost_rows`)).toEqual([
      { campaign: 'one', clicks: 1 },
    ]);
    expect(await second.stop()).toBe(0);
  });

  test('waits for brokers that are away: live, not ready, and in the log', async () => {
    const [opsPort] = (await freePorts(1)) as [number];
    await broker.kill();
    const service = ServiceProcess.begin(dataDir, {
      KAFKA_BROKERS: broker.address,
      OPS_PORT: String(opsPort),
    });
    const health = async (path: string): Promise<number> => {
      try {
        return (await fetch(`http://127.0.0.1:${opsPort}/health/${path}`)).status;
      } catch {
        return 0;
      }
    };
    const warnings = (): Record<string, unknown>[] =>
      service.logs.filter(({ level }) => level === 'warn');
    try {
      await until(async () => (await health('live')) === 200);
      await until(() => warnings().length > 0);
      expect(await health('ready')).toBe(503);
      await broker.restart();
      await service.listening();
      await until(async () => (await health('ready')) === 200);
      const [waiting] = warnings();
      expect(String(waiting?.['msg'])).toContain('KAFKA_BROKERS');
      expect(waiting?.['brokers']).toEqual([broker.address]);
      await uploads(service);
      // Leaves its groups. The next service would wait for the session of one that was killed.
      expect(await service.stop()).toBe(0);
    } finally {
      await service.kill();
    }
  });

  test('told to end while the brokers are away and an upload waits for them, ends in time', async () => {
    const service = await ServiceProcess.start(dataDir, {
      KAFKA_BROKERS: broker.address,
      SHUTDOWN_SECONDS: String(SHUTDOWN_SECONDS),
    });
    const client = await uploads(service);
    await broker.kill();
    const answered = client.post('cost', FILE).then(
      ({ status }) => status,
      () => 'cut off',
    );
    await sleep(500);
    const from = performance.now();
    const late = sleep(2 * END_MS, 'late', { ref: false });
    const code = await Promise.race([service.stop(), late]);
    const endedInMs = performance.now() - from;
    if (code === 'late') await service.kill();
    await broker.restart();
    expect(code).toBe(0);
    expect(endedInMs).toBeLessThan(END_MS);
    expect([503, 'cut off']).toContain(await answered);
  });

  test('does not start on a topic that would not do, and names it', async () => {
    const logs = new KafkaLogs(() => [broker.address]);
    const topic = 'custom-data.uploads';
    await logs.admin(async (admin) => {
      await admin.alterConfigs({
        validateOnly: false,
        resources: [
          {
            type: kafkajs.ConfigResourceTypes.TOPIC,
            name: topic,
            configEntries: [{ name: 'cleanup.policy', value: 'compact' }],
          },
        ],
      });
    });
    const starting = ServiceProcess.start(dataDir, { KAFKA_BROKERS: broker.address });
    await expect(starting).rejects.toThrow(
      /^the service ended with 2: topic custom-data\.uploads: cleanup\.policy is compact, .*\n$/,
    );
  });
});

describeWithBroker('the service on brokers with TLS, certificates of clients and SCRAM', () => {
  let broker: KafkaBroker;
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = await makeDataDir();
    const own = makeCertificate(folder, 'broker');
    const client = makeCertificate(folder, 'client');
    // The broker takes both from one file.
    const store = join(folder, 'broker-store.pem');
    await writeFile(store, (await readFile(own.key, 'utf8')) + (await readFile(own.cert, 'utf8')));
    const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
    broker = await KafkaBroker.start(
      {
        'sasl.enabled.mechanisms': 'SCRAM-SHA-512',
        'listener.name.client.scram-sha-512.sasl.jaas.config': scram,
        'ssl.keystore.location': store,
        'ssl.keystore.type': 'PEM',
        'ssl.truststore.location': client.cert,
        'ssl.truststore.type': 'PEM',
        'listener.name.client.ssl.client.auth': 'required',
      },
      'SASL_SSL',
      { format: ['--add-scram', 'SCRAM-SHA-512=[name=me,password=secret]'] },
    );
    env = {
      KAFKA_BROKERS: broker.address,
      KAFKA_CLIENT_ID: 'uploads',
      KAFKA_TLS: 'true',
      KAFKA_CA_FILE: own.cert,
      KAFKA_CERT_FILE: client.cert,
      KAFKA_KEY_FILE: client.key,
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: 'me',
      KAFKA_SASL_PASSWORD: 'secret',
    };
  });
  afterAll(async () => {
    await broker.stop();
    await removeDataDir(folder);
  });

  test('starts with the files that it needs', async () => {
    const service = await ServiceProcess.start(dataDir, env);
    await uploads(service);
    expect(await service.stop()).toBe(0);
  });

  test('does not start when nothing vouches for them, and names the variable', async () => {
    const starting = ServiceProcess.start(dataDir, { ...env, KAFKA_CA_FILE: '' });
    await expect(starting).rejects.toThrow(/^the service ended with 2: KAFKA_TLS: .*\n$/);
  });

  test('does not start with the key of another certificate, and names the variables', async () => {
    const other = join(folder, 'broker.key');
    const starting = ServiceProcess.start(dataDir, { ...env, KAFKA_KEY_FILE: other });
    await expect(starting).rejects.toThrow(
      /^the service ended with 2: KAFKA_CA_FILE, KAFKA_CERT_FILE, KAFKA_KEY_FILE: .*key values mismatch\n$/,
    );
  });

  test('does not start when a file cannot be read, and names the variable', async () => {
    const starting = ServiceProcess.start(dataDir, { ...env, KAFKA_KEY_FILE: '/nowhere.key' });
    await expect(starting).rejects.toThrow(
      'the service ended with 2: KAFKA_KEY_FILE: /nowhere.key cannot be read (ENOENT)\n',
    );
  });
});
