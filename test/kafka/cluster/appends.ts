import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it } from '@jest/globals';

import type { LogRecord } from '../../../src/log/upload-log.js';
import type { KafkaCluster } from '../../support/kafka/kafka-cluster.js';
import type { KafkaLogs } from '../../support/kafka/kafka.js';
import { succeeds, until } from '../../support/until.js';
import { record } from '../../support/log/log-folders.js';
import { countFault, IS_SOAK } from '../../support/service/soak.js';
import { texts } from '../collector.js';

const TIMES = IS_SOAK ? 20 : 1;
const PARTITIONS = 6;
const WRITERS = 12;
const AWAY_MS = { least: 500, most: 14_000 };
const RESTART_MS = 50_000;
const BACK_MS = 60_000;
const RECORD = { key: 'a', headers: {}, value: Buffer.alloc(100_000) };

/** Two of three brokers are gone for a while. */
export function goesOnWhenBrokersAreBack(cluster: () => KafkaCluster, logs: KafkaLogs): void {
  it('a client that was told of one broker only finds the others when that one is killed', async () => {
    const log = await logs.open({ partitions: 1, replicationFactor: 3, metadataMs: 600_000 });
    const uploads = `${logs.prefix}uploads`;
    const tailed: LogRecord[] = [];
    const tail = await log.tail('uploads', [], (records) => tailed.push(...records));
    const last = cluster().node(await cluster().leader(uploads, 0));
    const others = cluster().nodes.filter((node) => node !== last);
    for (const node of others) await node.kill('SIGTERM');
    try {
      // For a partition that it does not know, it asks who is there.
      await expect(tail.reached([0, 1], 2_000)).rejects.toThrow();
    } finally {
      for (const node of others) await node.restart();
      await cluster().inSync([uploads]);
    }
    await last.kill();
    try {
      await until(() => succeeds(log.append('uploads', [record('after')])));
      await until(() => texts(tailed).includes('after'));
    } finally {
      await last.restart();
      await cluster().inSync([uploads]);
    }
  });

  it(
    'a process that appends to every partition takes records again when they are back',
    async () => {
      const brokers = cluster();
      const log = await logs.open({ partitions: PARTITIONS, replicationFactor: 3 });
      const appended = new Array<number>(PARTITIONS).fill(0);
      const stopping = new AbortController();
      const writers = Array.from({ length: WRITERS }, async (_, i) => {
        const partition = i % PARTITIONS;
        while (!stopping.signal.aborted) {
          await log.append('uploads', [{ ...RECORD, partition }]).then(
            () => (appended[partition] = Date.now()),
            () => undefined,
          );
          await sleep(200);
        }
      });
      try {
        for (let time = 0; time < TIMES; time++) {
          const away = brokers.nodes.filter((_, i) => i !== time % brokers.nodes.length);
          await Promise.all(away.map((node) => node.kill()));
          await sleep(AWAY_MS.least + Math.random() * (AWAY_MS.most - AWAY_MS.least));
          await Promise.all(away.map((node) => node.restart()));
          const back = Date.now();
          while (Math.min(...appended) < back && Date.now() < back + BACK_MS) await sleep(100);
          expect(appended.filter((at) => at < back)).toEqual([]);
          countFault('two brokers away and back while one process appends');
        }
      } finally {
        stopping.abort();
        await Promise.all(writers);
      }
    },
    TIMES * (AWAY_MS.most + RESTART_MS + BACK_MS),
  );
}
