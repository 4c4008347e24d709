import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';

import type { KafkaLog } from '../../src/log/kafka/kafka-log.js';
import {
  type Consumption,
  type LogRecord,
  LogUnavailableError,
  type Tail,
} from '../../src/log/upload-log.js';
import { logRefusals } from '../../src/ops/metrics.js';
import { KafkaBroker } from '../support/kafka/kafka-broker.js';
import { KafkaProxy } from '../support/kafka/kafka-proxy.js';
import { describeWithBroker } from '../support/kafka/describe-with-broker.js';
import { KafkaLogs } from '../support/kafka/kafka.js';
import { record } from '../support/log/log-folders.js';
import { Collector, texts } from './collector.js';
import { until } from '../support/until.js';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

const USER = 'service';
const PASSWORD = 'right-password';
const MECHANISM = 'SCRAM-SHA-512';
const LOGIN = `${MECHANISM}=[iterations=4096,password=${PASSWORD}]`;

describeWithBroker('what a service is refused', () => {
  let proxy: KafkaProxy;
  let broker: KafkaBroker;
  beforeAll(async () => {
    proxy = await KafkaProxy.listen();
    broker = await KafkaBroker.start(
      {
        'sasl.enabled.mechanisms': MECHANISM,
        'listener.name.client.scram-sha-512.sasl.jaas.config':
          'org.apache.kafka.common.security.scram.ScramLoginModule required;',
        'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        'super.users': 'User:ANONYMOUS',
      },
      'SASL_PLAINTEXT',
      {
        format: ['--add-scram', `${MECHANISM}=[name=${USER},password=${PASSWORD}]`],
        advertisedPort: proxy.port,
      },
    );
    proxy.forwardTo(broker.port);
    await allow(
      [AclResourceTypes.TOPIC, AclOperationTypes.READ],
      [AclResourceTypes.TOPIC, AclOperationTypes.WRITE],
      [AclResourceTypes.TOPIC, AclOperationTypes.CREATE],
      [AclResourceTypes.TOPIC, AclOperationTypes.DESCRIBE_CONFIGS],
      [AclResourceTypes.GROUP, AclOperationTypes.READ],
    );
  });
  afterAll(async () => {
    await broker.stop();
    await proxy.close();
  });
  const logs = new KafkaLogs(() => [`127.0.0.1:${proxy.port}`]);
  afterEach(() => logs.cleanUp());
  const insiders = new KafkaLogs(() => [`127.0.0.1:${broker.internalPort}`]);

  let log: KafkaLog;
  let collector: Collector;
  let consumption: Consumption;
  let tailed: LogRecord[];
  let tail: Tail;
  async function run(): Promise<void> {
    const sasl = { mechanism: 'scram-sha-512', username: USER, password: PASSWORD } as const;
    log = await logs.open({ sasl, timeoutMs: 3_000 });
    collector = new Collector();
    consumption = await log.consume('uploads', 'ingest', collector);
    tailed = [];
    tail = await log.tail('uploads', [0], (records) => tailed.push(...records));
    await log.append('uploads', [record('before')]);
    await bothSee('before');
  }

  function bothSee(text: string): Promise<void> {
    return until(() => [collector.seen, tailed].every((seen) => texts(seen).includes(text)));
  }

  /** Resolves when each operation was refused again. Rejects if the consumer or the tail ends. */
  async function refused(...operations: string[]): Promise<void> {
    const before = await refusals();
    const failed = Promise.all([consumption.failed, tail.failed]);
    const counted = until(async () => {
      const now = await refusals();
      return operations.every((each) => (now.get(each) ?? 0) > (before.get(each) ?? 0) + 1);
    });
    await Promise.race([counted, failed]);
  }

  /** Expects the log to work as before. */
  async function goesOn(): Promise<void> {
    await until(() =>
      log.append('uploads', [record('after')]).then(
        () => true,
        (error: unknown) => {
          expect(error).toBeInstanceOf(LogUnavailableError);
          return false;
        },
      ),
    );
    await bothSee('after');
    await consumption.commit(0, collector.seen.at(-1)!.offset + 1);
    await tail.reached(await log.endOffsets('uploads'), 3_000);
  }

  function alterLogin(...change: string[]): Promise<void> {
    const server = ['--bootstrap-server', `127.0.0.1:${broker.internalPort}`];
    const user = ['--entity-type', 'users', '--entity-name', USER];
    return broker.tool('org.apache.kafka.tools.ConfigCommand', [
      ...server,
      '--alter',
      ...user,
      ...change,
    ]);
  }

  async function allow(
    ...rights: [kafkajs.AclResourceTypes, kafkajs.AclOperationTypes][]
  ): Promise<void> {
    const acl = rights.map(([resourceType, operation]) => ({
      resourceType,
      operation,
      resourceName: '*',
      resourcePatternType: ResourcePatternTypes.LITERAL,
      principal: `User:${USER}`,
      host: '*',
      permissionType: AclPermissionTypes.ALLOW,
    }));
    await insiders.admin((admin) => admin.createAcls({ acl }));
  }

  it.each([
    ['topic', AclResourceTypes.TOPIC, AclOperationTypes.READ, 'status'],
    ['group', AclResourceTypes.GROUP, AclOperationTypes.ALL, 'status-history'],
  ])('a right to a single %s ends the start', async (_, resourceType, operation, name) => {
    const deny = {
      resourceType,
      operation,
      resourceName: `${logs.prefix}${name}`,
      resourcePatternType: ResourcePatternTypes.LITERAL,
      principal: `User:${USER}`,
      host: '*',
      permissionType: AclPermissionTypes.DENY,
    };
    await insiders.admin((admin) => admin.createAcls({ acl: [deny] }));
    const sasl = { mechanism: 'scram-sha-512', username: USER, password: PASSWORD } as const;
    await expect(logs.open({ sasl, timeoutMs: 3_000 })).rejects.toThrow(
      /^KAFKA_SASL_USERNAME lacks a right on the brokers: /,
    );
  });

  it('a login: it is asked for until it is given back', async () => {
    await run();
    await alterLogin('--delete-config', MECHANISM);
    proxy.cut();
    await refused('consume', 'tail');
    await expect(log.append('uploads', [record('lost')])).rejects.toThrow(LogUnavailableError);
    await alterLogin('--add-config', LOGIN);
    await goesOn();
  });

  it('a right: it is asked for until it is given back', async () => {
    await run();
    await insiders.admin((admin) =>
      admin.deleteAcls({
        filters: [
          {
            resourceType: AclResourceTypes.TOPIC,
            operation: AclOperationTypes.READ,
            resourceName: '*',
            resourcePatternType: ResourcePatternTypes.LITERAL,
            permissionType: AclPermissionTypes.ALLOW,
          },
        ],
      }),
    );
    await refused('consume', 'tail');
    await allow([AclResourceTypes.TOPIC, AclOperationTypes.READ]);
    await goesOn();
  });
});

async function refusals(): Promise<Map<string, number>> {
  const { values } = await logRefusals.get();
  return new Map(values.map(({ labels, value }) => [String(labels.operation), value]));
}
