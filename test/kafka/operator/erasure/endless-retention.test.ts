import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';

import { createToken } from '../../../../src/accounts/manage-tokens.js';
import { listTokens } from '../../../../src/accounts/token-records.js';
import { timeOfVersion } from '../../../../src/domain/version.js';
import { erasureOf } from '../../../../src/operator/erasure/account-erasure.js';
import type { KafkaLog } from '../../../../src/log/kafka/kafka-log.js';
import { type LogRecord, TOPICS } from '../../../../src/log/upload-log.js';
import { adapted, commandsOf } from '../../../support/documents/commands.js';
import { snippet } from '../../../support/documents/page.js';
import { KafkaBroker } from '../../../support/kafka/kafka-broker.js';
import { describeWithBroker } from '../../../support/kafka/describe-with-broker.js';
import { KafkaLogs } from '../../../support/kafka/kafka.js';
import { record } from '../../../support/log/log-folders.js';
import { type Outcome, outcomeOf } from '../../../support/service/outcome.js';
import {
  makeDataDir,
  removeDataDir,
  ServiceProcess,
} from '../../../support/service/service-process.js';

const HOUR = 3_600_000;
const SETTINGS = {
  'cleanup.policy': 'delete',
  'max.message.bytes': '2097152',
  'message.timestamp.type': 'LogAppendTime',
  'retention.bytes': '-1',
};

describeWithBroker('what Kafka keeps', () => {
  let broker: KafkaBroker;
  beforeAll(async () => {
    broker = await KafkaBroker.start({
      'log.initial.task.delay.ms': '0',
      'log.retention.check.interval.ms': '200',
    });
  });
  afterAll(() => broker.stop());
  const logs = new KafkaLogs(() => [broker.address]);
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await makeDataDir();
  });
  afterEach(async () => {
    await logs.cleanUp();
    await removeDataDir(dataDir);
  });

  async function create(topic: string, retentionMs: number, segmentMs: number): Promise<void> {
    const settings = { ...SETTINGS, 'retention.ms': retentionMs, 'segment.ms': segmentMs };
    const configEntries = Object.entries(settings).map(([name, value]) => ({
      name,
      value: String(value),
    }));
    await logs.admin((admin) =>
      admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }] }),
    );
  }

  async function isKept(log: KafkaLog, offset: number): Promise<boolean> {
    for await (const records of log.read('uploads', 0, offset, offset + 1)) {
      if (records.length > 0) return true;
    }
    return false;
  }

  it('goes with its segment, at the latest when the log says so', async () => {
    const retentionMs = 3_000;
    await create(`${logs.prefix}uploads`, retentionMs, 3_000);
    const log = await logs.open({ retentionMs });
    const maxMs = await log.maxRetentionMs('uploads');
    expect(maxMs).toBe(6_000);
    const begun = Date.now();
    await log.append('uploads', [record('first')]);
    while (await isKept(log, 0)) {
      expect(Date.now() - begun).toBeLessThan(maxMs + 10_000);
      // The segment does not expire while it gets new records.
      await log.append('uploads', [record('later')]);
      await sleep(50);
    }
    expect(Date.now() - begun).toBeGreaterThan(1.5 * retentionMs);
  });

  it('of an erased account is told before anything is erased, when it is kept for ever', async () => {
    logs.prefix = 'custom-data.';
    await create('custom-data.status', -1, 24 * HOUR);
    await create('custom-data.claims', HOUR, 2 ** 62);
    await create('custom-data.uploads', 5 * HOUR, 24 * HOUR);
    await create('custom-data.dead-letter', HOUR, 24 * HOUR);
    await create('custom-data.control', HOUR, HOUR);
    const log = await logs.open({ retentionMs: HOUR });
    const ages = await Promise.all(TOPICS.map((topic) => log.maxRetentionMs(topic)));
    expect(ages).toEqual([29 * HOUR, Infinity, 25 * HOUR, 2 * HOUR, 2 ** 62 + HOUR]);

    const tokensFile = `${dataDir}/tokens.json`;
    await createToken(tokensFile, { account: 'acme', role: 'owner', timeZone: 'UTC' });
    const env = { DATA_DIR: dataDir, KAFKA_BROKERS: broker.address, LOG_RETENTION_HOURS: '1' };
    const erase = (...args: string[]): Promise<Outcome> =>
      outcomeOf(env, 'accounts', 'erase', 'acme', '--yes', ...args);
    const refused = await erase();
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('for ever in custom-data.status, custom-data.claims;');
    expect(refused.err).toContain('retention.ms');
    expect(refused.err).toContain('--ignore-endless-retention');
    expect(await listTokens(tokensFile)).toHaveLength(1);
    expect(await log.endOffsets('control')).toEqual([0]);
    expect(await log.endOffsets('dead-letter')).toEqual([0]);

    // Nor can the history forget what the log keeps.
    const service = ServiceProcess.begin(dataDir, { ...env, HISTORY_RETENTION_DAYS: '32' });
    expect(await service.exited).toBe(2);
    expect(service.stderr).toMatch(/^HISTORY_RETENTION_DAYS .* of the topic status: .*\n$/);

    const { code, err } = await erase('--ignore-endless-retention');
    expect(code).toBe(0);
    expect(err).toContain('stay for ever in custom-data.status, custom-data.claims\n');
    expect(await listTokens(tokensFile)).toHaveLength(0);
    const orders: LogRecord[] = [];
    for await (const batch of log.read('control', 0, 0, 1)) orders.push(...batch);
    expect(orders).toHaveLength(1);
    const [, goneBy] = /the last of these records leaves the log by (\S+)\n/.exec(err)!;
    const lastUploadAt = timeOfVersion(erasureOf(orders[0]!)!.version);
    expect(Date.parse(goneBy!)).toBeGreaterThan(lastUploadAt + 29 * HOUR);
    expect(Date.parse(goneBy!)).toBeLessThan(lastUploadAt + 31 * HOUR);

    // Once the operator has done what the page says, that topic no longer stands in the way.
    const page = snippet('operations.md', 'kafka-configs.sh');
    const [command] = commandsOf(adapted(page, { 'kafka:9092': broker.address }));
    // The script starts this class.
    await broker.tool('org.apache.kafka.tools.ConfigCommand', command!.split(/ +/).slice(1));
    expect(await log.maxRetentionMs('status')).toBe(8 * 24 * HOUR);
    expect((await erase()).err).toContain('for ever in custom-data.claims;');
  });
});
