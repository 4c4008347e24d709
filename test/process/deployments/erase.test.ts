import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { logFolder } from '../../../src/config/data-folder.js';
import { LmdbLog } from '../../../src/log/lmdb/lmdb-log.js';
import type { UploadLog } from '../../../src/log/upload-log.js';
import type { FamilyName } from '../../../src/domain/families/index.js';
import type { UploadRequestRecord } from '../../../src/status/transition.js';
import { ApiClient } from '../../support/service/api-client.js';
import { Deployment, describeDeployments } from '../../support/service/deployment.js';
import { KafkaLogs } from '../../support/kafka/kafka.js';
import { jsonLines } from '../../support/service/outcome.js';
import { until } from '../../support/until.js';

/** Erasing an account: what is deleted, what stays, what does not come back, and who did it. */

/**
 * Short, because the last step of an erasure waits for uploads that were under way. But a quarter of
 * the deadline without a byte ends an upload, and a broker may be slow beside other tests.
 */
const TIMES = {
  lmdb: { UPLOAD_DEADLINE_SECONDS: '16', LOG_TIMEOUT_SECONDS: '4' },
  kafka: { UPLOAD_DEADLINE_SECONDS: '24', LOG_TIMEOUT_SECONDS: '8' },
};
const ERASE_MS = 150_000;
const UNKNOWN = '01900000-0000-7000-8000-000000000000';
/** Far more than a gateway lags behind the erasure: each follows the log on its own. */
const FOLLOWED_MS = 1_000;
/** Keys that are used before and after the erasure, with the same file or with another. */
const KEYS = { same: 'same', another: 'another', underWay: 'under way' };
const TABLES = [
  'cost',
  'self_serve',
  'request_transitions',
  'metric_sightings',
  'metric_archivals',
] as const;
const OPERATOR = `operator:${userInfo().username}`;

const today = new Date().toISOString().slice(0, 10);
const costs = (value: string): string =>
  `date,channel,currency,campaign,impressions,clicks,cost\n2026-01-01,news,EUR,a,1,2,${value}\n`;
const events = (): string =>
  `date,channel,event_category,event_value\n${today},news,Visits,5\n${today},news,Orders,2\n`;

describeDeployments((kind) => {
  const settings = { ...TIMES[kind.log], CLICKHOUSE_TIMEOUT_SECONDS: '10' };
  const begun = new Date().toISOString();
  let deployment: Deployment;
  let acme: ApiClient;
  let other: ApiClient;
  /** Requests of the account from before the erasure. */
  const requests: string[] = [];
  /** Requests of the account after it has started again. */
  const newRequests: string[] = [];
  let before: Record<string, number>;

  beforeAll(async () => {
    deployment = await Deployment.open(kind);
    await deployment.start(settings);
    [acme, other] = await Promise.all([clientOf('acme'), clientOf('other')]);
  });
  afterAll(() => deployment.close());

  async function clientOf(account: string): Promise<ApiClient> {
    const args = ['tokens', 'create', '--account', account, '--role', 'owner'];
    const token = (await deployment.customData(...args)).trim();
    const client = new ApiClient(() => deployment.service.ports.api, token);
    // The audit orders by seconds. The token's actions have to come in a later second.
    await sleep(1_000);
    await until(async () => (await client.get('cost', UNKNOWN)).status !== 401, 50);
    return client;
  }

  async function rowsOf(account: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of TABLES) {
      const [row] = await deployment.query<{ rows: number }>(
        `SELECT toUInt32(count()) AS rows FROM ${table} FINAL WHERE account = '${account}'`,
      );
      counts[table] = row!.rows;
    }
    return counts;
  }

  /** Uploads a file with an idempotency key and waits until the request has ended. */
  async function keyed(
    client: ApiClient,
    family: FamilyName,
    content: string,
    key: string,
  ): Promise<UploadRequestRecord> {
    const answer = await client.post(family, content, 0, key);
    const text = await answer.text();
    expect(answer.status === 201 ? 201 : `${answer.status} ${text}`).toBe(201);
    return client.finished(family, (JSON.parse(text) as UploadRequestRecord).requestId);
  }

  const NOTHING = Object.fromEntries(TABLES.map((table) => [table, 0]));

  /** Waits until the tables have these numbers of rows, some of which the status role writes. */
  async function settled(account: string, rows: Record<string, number>): Promise<void> {
    const until = Date.now() + ERASE_MS;
    for (;;) {
      const found = await rowsOf(account);
      if (JSON.stringify(found) === JSON.stringify(rows) || Date.now() > until) {
        expect(found).toEqual(rows);
        return;
      }
      await sleep(100);
    }
  }

  /** Opens the log. An embedded log requires that the service has ended. */
  async function openLog(): Promise<UploadLog> {
    if (deployment.broker === undefined) {
      const dir = logFolder(deployment.dataDir);
      return LmdbLog.open({ dir, retentionMs: 3_600_000, timeoutMs: 10_000 });
    }
    const { address } = deployment.broker;
    return new KafkaLogs(() => [address]).open({ prefix: 'custom-data.' });
  }

  /** Counts the records about requests that name the account in key, headers or value. */
  async function recordsAbout(account: string): Promise<number> {
    const log = await openLog();
    let found = 0;
    try {
      for (const topic of ['uploads', 'status', 'dead-letter'] as const) {
        for (const [partition, end] of (await log.endOffsets(topic)).entries()) {
          for await (const records of log.read(topic, partition, 0, end)) {
            found += records.filter(({ key, headers, value }) =>
              [key, JSON.stringify(headers), value.toString('utf8')].join('\n').includes(account),
            ).length;
          }
        }
      }
    } finally {
      await log.close();
    }
    return found;
  }

  async function erased(): Promise<void> {
    const until = Date.now() + ERASE_MS;
    const isErased = (): boolean =>
      deployment.service.logs.some((line) => line['msg'] === 'account erased');
    while (!isErased()) {
      if (Date.now() > until) throw new Error('the account is not erased in time');
      await sleep(100);
    }
  }

  test('every row and request of the account goes, also when the process dies over it', async () => {
    for (const client of [acme, other]) {
      for (const upload of [
        await keyed(client, 'cost', costs('3'), KEYS.same),
        await keyed(client, 'self-serve', events(), KEYS.another),
        await client.upload('cost', costs('secret-value')),
      ]) {
        if (client === acme) requests.push(upload.requestId);
      }
    }
    // In a later second than the uploads, as the audit orders.
    await sleep(1_000);
    await deployment.customData('metrics', 'archive', 'Visits', '--account', 'acme');
    before = {
      cost: 1,
      self_serve: 2,
      request_transitions: 3,
      metric_sightings: 2,
      metric_archivals: 0,
    };
    await settled('acme', { ...before, metric_archivals: 1 });
    await settled('other', before);

    await expect(deployment.customData('accounts', 'erase', 'acme')).rejects.toThrow(/--yes/);
    let sendRest: () => void = () => undefined;
    const deleted = new Promise<void>((resolve) => (sendRest = resolve));
    const underWay = acme.postUntil('cost', costs('9'), deleted, KEYS.underWay);
    // The command takes the token away.
    while ((await deployment.service.metric('custom_data_uploads_receiving')) === 0) {
      await sleep(10);
    }
    await deployment.customData('accounts', 'erase', 'acme', '--yes');
    // Waits until the erasure has deleted the cost rows.
    await until(async () => (await rowsOf('acme'))['cost'] === 0, 10);
    await sleep(FOLLOWED_MS);
    sendRest();
    expect((await underWay).status).toBe(503);
    await deployment.service.kill();
    await deployment.start(settings);
    await expect(
      deployment.customData('tokens', 'create', '--account', 'acme', '--role', 'owner'),
    ).rejects.toThrow(/acme is being erased/);
    await erased();

    expect(await rowsOf('acme')).toEqual(NOTHING);
    expect(await rowsOf('other')).toEqual(before);
    expect((await acme.get('cost', requests[0]!)).status).toBe(401);
    expect((await other.post('cost', costs('4'))).status).toBe(201);
    expect(await deployment.customData('tokens', 'list')).not.toMatch(/acme/);
  });

  test('a single upload is not brought back', async () => {
    await expect(deployment.customData('replay', '--request', requests[0]!)).rejects.toThrow(
      /was erased with its account acme/,
    );
  });

  test('reading the whole log again brings nothing back, and the account can begin anew', async () => {
    await settled('other', { ...before, request_transitions: 4 });
    expect(await deployment.service.stop()).toBe(0);
    // The account's records stay in the log until its retention deletes them.
    expect(await recordsAbout('acme')).toBeGreaterThan(0);
    await deployment.customDataWithoutMember('replay', '--from', begun);
    await deployment.start(settings);
    // Ingest processes new uploads after everything that it reads again.
    expect(await other.upload('cost', costs('5'))).toMatchObject({ status: 'succeeded' });
    await settled('other', { ...before, request_transitions: 5 });
    expect(await rowsOf('acme')).toEqual(NOTHING);

    const again = await clientOf('acme');
    expect((await again.get('cost', requests[0]!)).status).toBe(404);
    // The keys from before the erasure are free, whatever file was sent with them.
    for (const [key, content] of [
      [KEYS.same, costs('3')],
      [KEYS.another, costs('6')],
      [KEYS.underWay, costs('7')],
    ] as const) {
      const { requestId, status } = await keyed(again, 'cost', content, key);
      expect(status).toBe('succeeded');
      newRequests.push(requestId);
    }
    for (const requestId of newRequests) expect(requests).not.toContain(requestId);
    await settled('acme', { ...NOTHING, cost: 1, request_transitions: newRequests.length });
    expect(await deployment.query("SELECT cost FROM cost_rows WHERE account = 'acme'")).toEqual([
      { cost: 7 },
    ]);
  });

  test('the audit tells who did it all, once, and no value', async () => {
    const audit = await deployment.customData('audit', '--account', 'acme', '--since', begun);
    const lines = audit.split('\n').slice(1, -1);
    const events = lines.map((line) => line.split(/ {2,}/).slice(1));
    const tokens = await deployment.customData('tokens', 'list');
    const [newToken] = /^[0-9a-f]{12}(?= +acme )/m.exec(tokens)!;
    const oldToken = events[0]![3]!;
    expect(events).toEqual([
      [OPERATOR, 'create-token', 'acme', expect.stringMatching(/^[0-9a-f]{12}$/)],
      ...requests.map((requestId) => [oldToken, 'upload', 'acme', requestId]),
      [OPERATOR, 'archive-metric', 'acme', 'Visits'],
      [OPERATOR, 'erase-account', 'acme', 'acme'],
      [OPERATOR, 'create-token', 'acme', newToken],
      ...newRequests.map((requestId) => [newToken, 'upload', 'acme', requestId]),
    ]);
    const ofAll = await deployment.customData('audit');
    expect(ofAll).toMatch(new RegExp(`${OPERATOR} +replay-from +- +${begun}`));
    expect(ofAll).not.toContain('secret-value');
    const asJson = jsonLines(
      await deployment.customData('audit', '--account', 'acme', '--since', begun, '--json'),
    );
    const fields = ['time', 'actor', 'action', 'account', 'subject'];
    for (const event of asJson) expect(Object.keys(event)).toEqual(fields);
    expect(asJson.map((event) => fields.map((field) => event[field]))).toEqual(
      lines.map((line) => line.split(/ {2,}/)),
    );
    const since = new Date(Date.now() + 60_000).toISOString();
    expect((await deployment.customData('audit', '--since', since)).split('\n')).toHaveLength(2);
  });
});
