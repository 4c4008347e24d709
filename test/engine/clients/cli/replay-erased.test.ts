import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { logFolder, chdbFolder } from '../../../../src/config/data-folder.js';
import { v7 as uuidv7 } from 'uuid';
import type { UploadEnd } from '../../../../src/log/uploads/upload-records.js';
import { FormattedLog } from '../../../../src/log/formatted-log.js';
import { LmdbLog } from '../../../../src/log/lmdb/lmdb-log.js';
import { createLogger } from '../../../../src/ops/logger.js';
import { createQueryServer } from '../../../../src/query/server.js';
import { SqlRowStore } from '../../../../src/warehouse/rows/sql-row-store.js';
import { type Outcome, outcomeOf } from '../../../support/service/outcome.js';
import { openTestWarehouse, type TestWarehouse } from '../../../support/chdb/warehouse.js';

/** The log may delete an erasure order before the records it covers. The table still has it. */

let warehouse: TestWarehouse;
let server: ReturnType<typeof createQueryServer>;
let port: number;
beforeAll(async () => {
  warehouse = await openTestWarehouse();
  server = createQueryServer({
    path: chdbFolder(warehouse.dataDir),
    database: warehouse.database,
    limits: { queryConcurrency: 4, queryTimeoutMs: 20_000, queryMemoryBytes: 1_073_741_824 },
    logger: createLogger('silent'),
  });
  port = await server.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await server.close();
  await warehouse.close();
});

async function withLog<T>(work: (log: FormattedLog) => Promise<T>): Promise<T> {
  const dir = logFolder(warehouse.dataDir);
  const log = new FormattedLog(LmdbLog.open({ dir, retentionMs: 3_600_000, timeoutMs: 5_000 }));
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

/** Appends the end of an empty file to the log. */
async function upload(account: string, version: bigint): Promise<string> {
  const requestId = uuidv7({ msecs: Date.now() });
  const end: UploadEnd = {
    chunks: 0,
    bytes: 0,
    firstOffset: null,
    acceptedAt: Date.now(),
    version: String(version),
    finding: null,
    requestDay: 3,
    integratedChannels: [],
  };
  const headers = { requestId, account, family: 'cost', type: 'end' };
  const value = Buffer.from(JSON.stringify(end));
  await withLog((log) => log.append('uploads', [{ key: requestId, headers, value }]));
  return requestId;
}

const replay = (requestId: string): Promise<Outcome> =>
  outcomeOf(
    { DATA_DIR: warehouse.dataDir, QUERY_PORT: String(port) },
    ...['replay', '--request', requestId],
  );

test('an upload is not replayed whose erasure stands in the table alone', async () => {
  const [erased, later, another] = [
    await upload('acme', 5n),
    await upload('acme', 6n),
    await upload('other', 5n),
  ];
  const erasure = { account: 'acme', version: 5n, actor: 'operator:me', at: Date.now() };
  await new SqlRowStore(warehouse.warehouse, warehouse.database).writeErasure(erasure);
  const [before] = await withLog((log) => log.endOffsets('uploads'));
  expect(await replay(erased)).toEqual({
    code: 1,
    out: '',
    err: `error: the upload ${erased} was erased with its account acme\n`,
  });
  expect(await withLog((log) => log.endOffsets('uploads'))).toEqual([before]);
  for (const requestId of [later, another]) {
    expect(await replay(requestId)).toMatchObject({ code: 0, err: '' });
  }
});

test('a replay that names neither an upload nor a time is wrong, and does nothing', async () => {
  expect(await outcomeOf({}, 'replay')).toEqual({
    code: 2,
    out: '',
    err: 'error: replay needs either --request or --from\n',
  });
});
