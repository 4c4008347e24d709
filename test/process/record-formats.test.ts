import { CONSUMER_GROUPS, type Topic } from '../../src/log/upload-log.js';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { logFolder } from '../../src/config/data-folder.js';
import { LmdbLog } from '../../src/log/lmdb/lmdb-log.js';
import { makeDataDir, removeDataDir, ServiceProcess } from '../support/service/service-process.js';

/** The service reads records that a newer version has written, as after a downgrade. */

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeDataDir();
});
afterEach(() => removeDataDir(dataDir));

async function withLog<T>(work: (log: LmdbLog) => Promise<T>): Promise<T> {
  const log = LmdbLog.open({
    dir: logFolder(dataDir),
    retentionMs: 3_600_000,
    timeoutMs: 10_000,
  });
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

test.each<[Topic, string]>([
  ['uploads', CONSUMER_GROUPS.ingest.group],
  ['status', CONSUMER_GROUPS.history.group],
])(
  'a newer record of %s ends it with one line and code 1, and it commits nothing',
  async (topic, group) => {
    const service = await ServiceProcess.start(dataDir);
    const before = await withLog(async (log) => {
      const committed = await log.committedOffsets(topic, group);
      const newer = {
        key: 'a',
        partition: 0,
        headers: { format: '2' },
        value: Buffer.from('{"x":'),
      };
      await log.append(topic, [newer]);
      return committed;
    });
    const line =
      `the record at offset ${before[0]!} of partition 0 of the topic ${topic} has the format 2, ` +
      'and this version of the service reads formats up to 1: install the newer version';
    expect(await service.exited).toBe(1);
    const [fatal] = service.logs.filter(({ level }) => level === 'fatal');
    expect(fatal).toMatchObject({ err: { type: 'RecordFormatError', message: line } });

    // Every later start fails too, during the start or after it.
    const again = ServiceProcess.start(dataDir).then(async (started) => {
      expect(await started.exited).toBe(1);
      throw new Error(JSON.stringify(started.logs));
    });
    await expect(again).rejects.toThrow(line);
    expect(await withLog((log) => log.committedOffsets(topic, group))).toEqual(before);
  },
);
