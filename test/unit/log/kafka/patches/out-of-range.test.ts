import { expect, test } from '@jest/globals';
import type { Cluster } from 'kafkajs';
import OffsetManager from 'kafkajs/src/consumer/offsetManager/index.js';

import { mendOutOfRange } from '../../../../../src/log/kafka/patches/out-of-range.js';

mendOutOfRange();

test.each(['0', '700'])('fetches from %s, the first record, and commits nothing', async (first) => {
  let commits = 0;
  const place = { topic: 'uploads', partition: 2 };
  const manager = new OffsetManager({
    cluster: {
      fetchTopicsOffset: () =>
        Promise.resolve([{ topic: 'uploads', partitions: [{ partition: 2, offset: first }] }]),
      defaultOffset: () => -2,
    } as unknown as Cluster,
    coordinator: {
      isConnected: () => true,
      offsetCommit: () => {
        commits++;
        return Promise.resolve();
      },
    },
    memberAssignment: { uploads: [2] },
    autoCommit: false,
    topicConfigurations: { uploads: { fromBeginning: true } },
  });
  manager.resolveOffset({ ...place, offset: '899' });
  await manager.setDefaultOffset(place);
  expect(manager.nextOffset('uploads', 2).toString()).toBe(first);
  expect(commits).toBe(0);
});
