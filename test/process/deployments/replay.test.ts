import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { expectViewsToEqual } from '../../support/model/compare-views.js';
import { Deployment, describeDeployments } from '../../support/service/deployment.js';
import { expectInvariants } from '../../support/service/invariants.js';
import { jsonLines } from '../../support/service/outcome.js';
import { tokenFor } from '../../support/service/service-process.js';
import { COST, csvOf, type CsvRow, WarehouseModel } from '../../support/model/warehouse-model.js';
import { until } from '../../support/until.js';

/** Processes records of the log again: one upload on purpose, or all without harm. */

const ACCOUNT = 'acme';
/** Rows of the right upload, large enough for several chunks, and of the wrong one. */
const RIGHT = 600;
const WRONG = 500;
const FEW = 10;

/** Two rows each agree in all but their numbers, so that reports show their sums. */
const rowsOf = (clicks: number, rows: number): CsvRow[] =>
  Array.from({ length: rows }, (_, i) => ({
    date: '2026-02-01',
    channel: 'news',
    currency: 'EUR',
    campaign: `campaign ${i >> 1}`,
    impressions: '1',
    clicks: String(clicks),
    cost: '0.5',
    ad_group: 'x'.repeat(230),
  }));

describeDeployments((kind) => {
  let deployment: Deployment;
  let client: ApiClient;
  const model = new WarehouseModel();
  const begun = new Date().toISOString();
  const accepted: string[] = [];
  /** By request: the size of its file. */
  const bytes = new Map<string, number>();

  beforeAll(async () => {
    deployment = await Deployment.open(kind);
    const token = await tokenFor(deployment.dataDir, ACCOUNT);
    client = new ApiClient(() => deployment.service.ports.api, token);
    await deployment.start();
  });
  afterAll(() => deployment.close());

  async function upload(rows: CsvRow[]): Promise<string> {
    const file = csvOf(COST, rows);
    const record = await client.upload('cost', file);
    bytes.set(record.requestId, Buffer.byteLength(file));
    expect(record).toMatchObject({ status: 'succeeded' });
    model.apply(ACCOUNT, COST, rows);
    accepted.push(record.requestId);
    return record.requestId;
  }

  test('an upload that a wrong one has overwritten comes back, above all others', async () => {
    const right = rowsOf(1, RIGHT);
    const requestId = await upload(right);
    await upload(rowsOf(2, WRONG));
    const replayed = (await deployment.customData('replay', '--request', requestId)).trim();
    expect(replayed).not.toBe(requestId);
    const record = await client.finished('cost', replayed);
    expect(record).toMatchObject({ status: 'succeeded', prevStatus: 'ingested' });
    expect(record.createdAt <= record.updatedAt).toBe(true);
    model.apply(ACCOUNT, COST, right);
    accepted.push(replayed);
    bytes.set(replayed, bytes.get(requestId)!);
    await expectViewsToEqual(deployment, model, ACCOUNT);
    // A later upload wins over the replayed one.
    await upload(rowsOf(3, FEW));
    await expectViewsToEqual(deployment, model, ACCOUNT);
  });

  test('as JSON a replay is the id of the new request', async () => {
    const rows = rowsOf(3, FEW);
    const requestId = await upload(rows);
    const [replayed, ...others] = jsonLines(
      await deployment.customData('replay', '--request', requestId, '--json'),
    ) as { requestId: string }[];
    expect([Object.keys(replayed!), others]).toEqual([['requestId'], []]);
    expect(replayed!.requestId).not.toBe(requestId);
    const record = await client.finished('cost', replayed!.requestId);
    expect(record).toMatchObject({ status: 'succeeded' });
    model.apply(ACCOUNT, COST, rows);
    accepted.push(replayed!.requestId);
    bytes.set(replayed!.requestId, bytes.get(requestId)!);
    await expectViewsToEqual(deployment, model, ACCOUNT);
  });

  test('an upload that is not in the log is not made up', async () => {
    const unknown = '01a1fbf8-9e4c-73df-bf3b-19f8b218fcba';
    await expect(deployment.customData('replay', '--request', unknown)).rejects.toThrow(
      `the log has no upload ${unknown}`,
    );
  });

  test('everything since a time is processed again and changes nothing', async () => {
    await expect(deployment.customData('replay', '--from', begun)).rejects.toThrow(
      kind.log === 'lmdb' ? /is in use by another service/ : /has a member/,
    );
    expect(await deployment.service.stop()).toBe(0);
    const replayed = await deployment.customDataWithoutMember('replay', '--from', begun, '--json');
    const again = jsonLines(replayed);
    expect(again).toEqual([{ records: expect.any(Number) }]);
    // At least the end of each upload.
    expect(again[0]!['records']).toBeGreaterThanOrEqual(accepted.length);
    await deployment.start();
    const validated = async (): Promise<number> =>
      Number(
        /custom_data_rows_validated_total\{family="cost"\} (\d+)/.exec(
          await deployment.service.metrics(),
        )?.[1] ?? 0,
      );
    // The counters of the new process begin at 0. Two uploads were replayed.
    await until(async () => (await validated()) >= 2 * RIGHT + WRONG + 3 * FEW, 100);
    await expectInvariants(deployment.service, deployment, {
      account: ACCOUNT,
      succeeded: accepted,
      rows: model.rowsApplied(ACCOUNT),
    });
    await expectViewsToEqual(deployment, model, ACCOUNT);
    // A replay of one upload tells the bytes of its file again.
    const told = await deployment.query<{ id: string; size: number }>(
      `SELECT toString(request_id) AS id, toUInt32(csv_bytes) AS size
       FROM request_transitions FINAL WHERE account = '${ACCOUNT}'`,
    );
    expect(new Map(told.map(({ id, size }) => [id, size]))).toEqual(bytes);
    await upload(rowsOf(4, 5));
    await expectViewsToEqual(deployment, model, ACCOUNT);
  });
});
