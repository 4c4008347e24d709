import { describeIf } from '../machine/describe-if.js';
import { canStartBroker } from './kafka-broker.js';

/** Tests that start brokers, or share that of the run. Skipped with a message where they cannot; fails in CI. */
export const describeWithBroker = describeIf(
  canStartBroker,
  'Java and Maven are missing, so no Kafka broker can be started',
);
