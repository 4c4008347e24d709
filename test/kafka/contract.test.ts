import { beforeAll, describe } from '@jest/globals';

import { describeWithBroker } from '../support/kafka/describe-with-broker.js';
import { KafkaLogs, sharedBrokers } from '../support/kafka/kafka.js';
import { behavesAsThePortSays } from '../support/log/contract.js';
import { LogFolders } from '../support/log/log-folders.js';

const folders = new LogFolders();
describe('the log in LMDB', () => {
  behavesAsThePortSays({
    retentionMs: 60_000,
    open: (uploads) => folders.open({ partitions: { uploads } }),
    cleanUp: () => folders.cleanUp(),
  });
});

describeWithBroker('the log on Kafka', () => {
  let brokers: string[] = [];
  beforeAll(async () => {
    brokers = await sharedBrokers();
  });
  const logs = new KafkaLogs(() => brokers);
  behavesAsThePortSays({
    retentionMs: 3_600_000,
    open: (partitions) => logs.open({ partitions }),
    cleanUp: () => logs.cleanUp(),
  });
});
