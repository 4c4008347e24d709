import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  test,
} from '@jest/globals';
import kafkajs from 'kafkajs';

import { ConfigError } from '../../src/config/config.js';
import { KafkaBroker } from '../support/kafka/kafka-broker.js';
import { describeWithBroker } from '../support/kafka/describe-with-broker.js';
import { KafkaLogs } from '../support/kafka/kafka.js';
import { record } from '../support/log/log-folders.js';
import { makeDataDir, removeDataDir, ServiceProcess } from '../support/service/service-process.js';

describeWithBroker('a broker that asks for credentials', () => {
  const user = 'service';
  const password = 'right-password';
  let broker: KafkaBroker;
  beforeAll(async () => {
    const jaas = `org.apache.kafka.common.security.plain.PlainLoginModule required user_${user}="${password}";`;
    broker = await KafkaBroker.start(
      { 'listener.name.client.plain.sasl.jaas.config': jaas, 'sasl.enabled.mechanisms': 'PLAIN' },
      'SASL_PLAINTEXT',
    );
  });
  afterAll(() => broker.stop());

  describe('and the log', () => {
    const logs = new KafkaLogs(() => [broker.address]);
    afterEach(() => logs.cleanUp());

    it('takes the right ones', async () => {
      const log = await logs.open({ sasl: { mechanism: 'plain', username: user, password } });
      await log.append('uploads', [record('a')]);
    });

    it('ends the start with a line that names the variables when they are wrong', async () => {
      const sasl = { mechanism: 'plain', username: user, password: 'wrong' } as const;
      const opening = logs.open({ sasl });
      await expect(opening).rejects.toThrow(/^KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD: /);
      await expect(opening).rejects.toThrow(ConfigError);
    });

    it('ends the start with a line that names the mechanism when it does not know it', async () => {
      const sasl = { mechanism: 'scram-sha-512', username: user, password } as const;
      await expect(logs.open({ sasl })).rejects.toThrow(/^KAFKA_SASL_MECHANISM: /);
    });
  });

  /** On brokers that it can never use, the built service ends with one line and accepts nothing. */
  describe('and the start of the service', () => {
    let dataDir: string;
    beforeEach(async () => {
      dataDir = await makeDataDir();
    });
    afterEach(() => removeDataDir(dataDir));

    const env = (changed: Record<string, string> = {}): Record<string, string> => ({
      KAFKA_BROKERS: broker.address,
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: user,
      KAFKA_SASL_PASSWORD: password,
      ...changed,
    });

    test.each([
      [
        'a wrong password',
        { KAFKA_SASL_PASSWORD: 'wrong' },
        'KAFKA_SASL_USERNAME, KAFKA_SASL_PASS',
      ],
      ['an unknown mechanism', { KAFKA_SASL_MECHANISM: 'scram-sha-512' }, 'KAFKA_SASL_MECHANISM: '],
    ])('ends with one line at %s', async (_, changed, line) => {
      const starting = ServiceProcess.start(dataDir, env(changed));
      await expect(starting).rejects.toThrow(
        new RegExp(`^the service ended with 2: ${line}[^\n]*\n$`),
      );
      await expect(starting).rejects.not.toThrow(password);
    });

    test('ends with one line at a topic whose records may not be large enough', async () => {
      const topic = 'custom-data.uploads';
      const kafka = new kafkajs.Kafka({
        brokers: [broker.address],
        sasl: { mechanism: 'plain', username: user, password },
        logLevel: kafkajs.logLevel.NOTHING,
      });
      const admin = kafka.admin();
      await admin.connect();
      const configEntries = [{ name: 'max.message.bytes', value: '1048588' }];
      await admin.createTopics({ topics: [{ topic, configEntries }] });
      await admin.disconnect();
      await expect(ServiceProcess.start(dataDir, env())).rejects.toThrow(
        /^the service ended with 2: topic custom-data\.uploads: max\.message\.bytes is 1048588, but it has to be at least 2097152\n$/,
      );
    });
  });
});
