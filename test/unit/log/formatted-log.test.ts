import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { FormattedLog, RecordFormatError } from '../../../src/log/formatted-log.js';
import type { LmdbLog } from '../../../src/log/lmdb/lmdb-log.js';
import { type LogRecord, TOPICS } from '../../../src/log/upload-log.js';
import { Collector, LogFolders, readAll, record, texts } from '../../support/log/log-folders.js';
import { until } from '../../support/until.js';

const folders = new LogFolders();
let raw: LmdbLog;
let log: FormattedLog;
beforeEach(async () => {
  raw = await folders.open();
  log = new FormattedLog(raw);
});
afterEach(() => folders.cleanUp());

test.each(TOPICS)('every record of %s says its form, beside its own headers', async (topic) => {
  await log.append(topic, [record('a', { headers: { type: 'chunk', format: '9' } })]);
  await log.appendInOrder([{ topic, records: [record('b')] }]);
  const records = await readAll(raw, topic);
  expect(records.map(({ headers }) => headers)).toEqual([
    { type: 'chunk', format: '1' },
    { format: '1' },
  ]);
  const consumer = new Collector();
  await log.consume(topic, 'group', consumer);
  await until(() => consumer.seen.length === 2);
  expect(texts(consumer.seen)).toEqual(['a', 'b']);
});

describe.each([
  ['of a newer form', '2'],
  ['of no form', undefined],
  ['of a form that is no number', 'x'],
])('a record %s', (_, format) => {
  beforeEach(async () => {
    await log.append('status', [record('readable')]);
    const headers = format === undefined ? {} : { format };
    await raw.append('status', [record('unreadable', { headers }), record('behind it')]);
  });
  const message = (offset: number): string =>
    `the record at offset ${offset} of partition 0 of the topic status has the format ${format ?? 'none'}, ` +
    'and this version of the service reads formats up to 1: install the newer version';

  test('ends a consumption before anything of its batch is handed over', async () => {
    const consumer = new Collector();
    const consumption = await log.consume('status', 'group', consumer);
    await expect(consumption.failed).rejects.toThrow(RecordFormatError);
    await expect(consumption.failed).rejects.toThrow(message(1));
    expect(consumer.seen).toEqual([]);
    expect(await log.committedOffsets('status', 'group')).toEqual([0]);
  });

  test('ends what follows a tail, which hands over nothing more', async () => {
    const seen: LogRecord[] = [];
    const tail = await log.tail('status', [0], (records) => seen.push(...records));
    await expect(tail.reached([3], 5_000)).rejects.toThrow('cannot go on');
    await expect(tail.failed).rejects.toThrow(RecordFormatError);
    await expect(tail.failed).rejects.toThrow(message(1));
    await log.append('status', [record('later')]);
    expect(seen).toEqual([]);
    await tail.stop();
  });

  test('is read by nobody', async () => {
    const reading = (async () => {
      for await (const records of log.read('status', 0, 0, Infinity)) expect(records).toEqual([]);
    })();
    await expect(reading).rejects.toThrow(message(1));
  });
});
