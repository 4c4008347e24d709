import { afterEach, describe, expect, it } from '@jest/globals';
import { LogFolders, Collector, record, texts } from '../../../support/log/log-folders.js';
import { until } from '../../../support/until.js';

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

describe('consume', () => {
  it('hands over what is in the log, then what is appended, each record once and in order', async () => {
    const log = await folders.open();
    await log.append('uploads', [record('a'), record('b')]);
    const collector = new Collector();
    const consumption = await log.consume('uploads', 'ingest', collector);
    expect(collector.seen).toEqual([]);
    await until(() => collector.seen.length === 2);
    await log.append('uploads', [record('c')]);
    await until(() => collector.seen.length === 3);
    await consumption.stop();
    await log.append('uploads', [record('d')]);
    expect(texts(collector.seen)).toEqual(['a', 'b', 'c']);
    expect(collector.seen.map(({ offset }) => offset)).toEqual([0, 1, 2]);
    expect(collector.assignments).toEqual([[0, 0]]);
  });

  it('wakes at once for appends of this process', async () => {
    const log = await folders.open();
    const collector = new Collector();
    await log.consume('uploads', 'ingest', collector);
    await log.append('uploads', [record('first')]);
    await until(() => collector.seen.length === 1);
    const start = performance.now();
    for (let n = 2; n <= 101; n++) {
      await log.append('uploads', [record('x')]);
      await until(() => collector.seen.length === n);
    }
    // With only the poll for other processes it would take 100 times 250 ms.
    expect(performance.now() - start).toBeLessThan(12_500);
  });

  it('begins again at the watermark, also after reopening', async () => {
    const dir = await folders.folder();
    const log = await folders.open({ dir });
    await log.append(
      'uploads',
      ['a', 'b', 'c'].map((text) => record(text)),
    );
    expect(await log.committedOffsets('uploads', 'ingest')).toEqual([0]);
    const consumption = await log.consume('uploads', 'ingest', new Collector());
    await consumption.commit(0, 2);
    expect(await log.committedOffsets('uploads', 'ingest')).toEqual([2]);
    await log.close();

    const reopened = await folders.open({ dir });
    expect(await reopened.committedOffsets('uploads', 'ingest')).toEqual([2]);
    const collector = new Collector();
    await reopened.consume('uploads', 'ingest', collector);
    await until(() => collector.seen.length === 1);
    expect(texts(collector.seen)).toEqual(['c']);
    expect(collector.assignments).toEqual([[0, 2]]);
  });

  it('gives every group the whole topic, with a watermark of its own', async () => {
    const log = await folders.open();
    await log.append('status', [record('a'), record('b')]);
    const [history, view] = [new Collector(), new Collector()];
    const consumption = await log.consume('status', 'history', history);
    await log.consume('status', 'view', view);
    await until(() => history.seen.length === 2 && view.seen.length === 2);
    await consumption.commit(0, 2);
    expect(await log.committedOffsets('status', 'history')).toEqual([2]);
    expect(await log.committedOffsets('status', 'view')).toEqual([0]);
  });

  it('refuses a second consumption of a group until the first has stopped', async () => {
    const log = await folders.open();
    const first = await log.consume('uploads', 'ingest', new Collector());
    await expect(log.consume('uploads', 'ingest', new Collector())).rejects.toThrow('already');
    await first.stop();
    await log.consume('uploads', 'ingest', new Collector());
  });

  it('refuses a watermark ahead of the log', async () => {
    const log = await folders.open();
    await log.append('uploads', [record('a')]);
    const consumption = await log.consume('uploads', 'ingest', new Collector());
    await expect(consumption.commit(0, 2)).rejects.toThrow(RangeError);
    await expect(consumption.commit(1, 0)).rejects.toThrow(RangeError);
    await consumption.commit(0, 1);
  });

  it('never calls the handler twice at once for a partition, but lets partitions run apart', async () => {
    const log = await folders.open({ partitions: { uploads: 2 } });
    const underWay = [0, 0];
    const seen = [0, 0];
    let both = false;
    const handler = new Collector();
    handler.records = async (partition, records) => {
      underWay[partition]! += 1;
      expect(underWay[partition]).toBe(1);
      both ||= underWay[0] === 1 && underWay[1] === 1;
      // The first call waits for one of the other partition, however long the disk takes.
      await until(() => both);
      await new Promise((resolve) => setTimeout(resolve, 5));
      underWay[partition]! -= 1;
      seen[partition]! += records.length;
    };
    await log.consume('uploads', 'ingest', handler);
    for (let i = 0; i < 40; i++) await log.append('uploads', [record('x', { partition: i % 2 })]);
    await until(() => seen[0] === 20 && seen[1] === 20);
    expect(both).toBe(true);
  });

  it('fails with what the handler rejects with, and hands over nothing more', async () => {
    const log = await folders.open();
    const collector = new Collector();
    let calls = 0;
    collector.records = () => {
      calls++;
      return Promise.reject(new Error('the warehouse is gone'));
    };
    const consumption = await log.consume('uploads', 'ingest', collector);
    await log.append('uploads', [record('a')]);
    await expect(consumption.failed).rejects.toThrow('the warehouse is gone');
    await log.append('uploads', [record('b')]);
    await consumption.stop();
    expect(calls).toBe(1);
    expect(await log.committedOffsets('uploads', 'ingest')).toEqual([0]);
  });

  it('waits at stop and at close for the handler call under way', async () => {
    const log = await folders.open();
    let finish: (() => void) | undefined;
    let done = false;
    const collector = new Collector();
    collector.records = async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      await log.append('status', [record('told')]);
      done = true;
    };
    await log.append('uploads', [record('a')]);
    const consumption = await log.consume('uploads', 'ingest', collector);
    await until(() => finish !== undefined);
    const stopped = consumption.stop().then(() => done);
    const closed = log.close().then(() => done);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(done).toBe(false);
    finish!();
    expect(await stopped).toBe(true);
    expect(await closed).toBe(true);
  });
});
