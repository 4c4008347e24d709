import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { describeWithKafka, KafkaLogs, sharedBrokers } from '../helpers/kafka.js';
import { record, texts, Collector, until } from '../log/helpers/log-folders.js';
import type { LogRecord } from '../../src/log/upload-log.js';

describeWithKafka('smoke', () => {
  let brokers: string[] = [];
  beforeAll(async () => {
    brokers = await sharedBrokers();
  }, 120_000);
  const logs = new KafkaLogs(() => brokers);
  afterEach(() => logs.cleanUp());

  it('works', async () => {
    const t0 = performance.now();
    const at = (what: string) => process.stderr.write(`${what} ${Math.round(performance.now() - t0)}\n`);
    const log = await logs.open({ partitions: 2 });
    at('open');
    console.log(await log.append('uploads', [record('a', { partition: 0 }), record('b', { partition: 1 }), record('c', { partition: 0 })]));
    at('append');
    console.log(await log.append('uploads', [record('d', { partition: 0 , headers: {x: 'ü'}})]));
    at('append2');
    console.log(await log.endOffsets('uploads'));
    at('ends');
    console.log(await log.endOffsets('uploads'));
    at('ends');
    console.log(await log.committedOffsets('uploads', 'ingest'));
    at('committed');
    console.log(await log.committedOffsets('uploads', 'ingest'));
    at('committed');
    for await (const batch of log.read('uploads', 0, 0, 100)) console.log(batch);
    at('read');
    const seen: LogRecord[] = [];
    const tail = await log.tail('uploads', [1, 0], (r) => seen.push(...r));
    await tail.reached([3, 1], 5000);
    at('tail');
    expect(texts(seen).sort()).toEqual(['b', 'c', 'd']);
    const c = new Collector();
    const consumption = await log.consume('uploads', 'ingest', c);
    await until(() => c.seen.length === 4);
    at('consumed');
    await log.append('uploads', [record('e', { partition: 0 })]);
    await until(() => c.seen.length === 5);
    at('append+consumed');
    await consumption.commit(0, 3);
    at('commit');
    console.log(await log.committedOffsets('uploads', 'ingest'), c.assignments);
    await consumption.stop();
    at('stop');
    await log.close();
    at('close');
  });
});
