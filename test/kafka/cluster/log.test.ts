import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';

import { KafkaCluster } from '../../support/kafka/kafka-cluster.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { KafkaLogs } from '../../support/kafka/kafka.js';
import { goesOnWhenBrokersAreBack } from './appends.js';
import { followsLeaders } from './moved-leaders.js';
import { hasDurableTopics } from './topics.js';

/** The adapter on one cluster of three brokers. Tests that kill two of them come last. */

describeWithBroker('the log on three brokers', () => {
  let brokers: KafkaCluster;
  beforeAll(async () => {
    brokers = await KafkaCluster.start(3, {
      'default.replication.factor': '3',
      // Until then a killed or silent broker counts as there. The default is nine seconds.
      'broker.session.timeout.ms': '6000',
    });
  });
  afterAll(() => brokers.stop());
  const logs = new KafkaLogs(() => brokers.brokers);
  afterEach(() => logs.cleanUp());
  const cluster = (): KafkaCluster => brokers;

  describe('its topics', () => {
    hasDurableTopics(cluster, logs);
  });
  describe('while partitions change their leaders', () => {
    followsLeaders(cluster, logs);
  });
  describe('while brokers go away', () => {
    goesOnWhenBrokersAreBack(cluster, logs);
  });
});
