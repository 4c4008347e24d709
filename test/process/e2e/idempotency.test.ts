import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { UploadRequestRecord } from '../../../src/domain/requests/transition.js';
import { ApiClient } from '../../helpers/api-client.js';
import { Cluster } from '../../helpers/cluster.js';
import { Deployment, describeDeployments } from '../../helpers/deployment.js';
import { describeWithBroker } from '../../helpers/kafka.js';
import { killedAtEnd } from '../../helpers/preloads/preload.js';
import { type ServiceProcess, tokenFor } from '../../helpers/service-process.js';

/** One upload for a key, whatever happens to the gateways. */

const ACCOUNT = 'acme';
/** So that a claim settles after nine seconds. */
const QUICK = { LOG_TIMEOUT_SECONDS: '3' };
const KEY = 'Idempotency-Key';

const fileOf = (campaign: string, clicks = 1): string =>
  `date,channel,currency,campaign,impressions,clicks,cost\n2026-02-01,news,EUR,${campaign},1,${clicks},0.5\n`;

function send(
  service: ServiceProcess,
  token: string,
  key: string,
  content: string,
): Promise<Response> {
  const body = new FormData();
  body.append('file', new Blob([content]), 'data.csv');
  const url = `http://127.0.0.1:${service.ports.api}/custom-data-upload/v1.0/cost/requests/`;
  const headers = { Authorization: `SERVICE-API-KEY ${token}`, [KEY]: key };
  return fetch(url, { method: 'POST', headers, body });
}

async function accepted(answering: Promise<Response>): Promise<UploadRequestRecord> {
  const answer = await answering;
  const text = await answer.text();
  expect([answer.status, text]).toEqual([201, expect.any(String)]);
  return JSON.parse(text) as UploadRequestRecord;
}

/** As a client does it that was answered 409. */
async function retried(create: () => Promise<Response>): Promise<Response> {
  const until = Date.now() + 60_000;
  for (;;) {
    const answer = await create();
    if (answer.status !== 409 || Date.now() > until) return answer;
    await sleep(Number(answer.headers.get('Retry-After')) * 1_000);
  }
}

const storedClicks =
  "SELECT sum(clicks) AS clicks, count() AS rows FROM cost_rows WHERE campaign = '";

describeDeployments((kind) => {
  let deployment: Deployment;
  let client: ApiClient;
  let token: string;

  beforeAll(async () => {
    deployment = await Deployment.open(kind);
    token = await tokenFor(deployment.dataDir, ACCOUNT);
    client = new ApiClient(() => deployment.service.ports.api, token);
    await deployment.start(QUICK);
  });
  afterAll(() => deployment.close());

  const create = (key: string, content: string): Promise<Response> =>
    send(deployment.service, token, key, content);
  const requestsOf = (campaign: string): Promise<{ requests: string[] }[]> =>
    deployment.query(
      `SELECT groupUniqArray(toString(request_id)) AS requests FROM cost_rows WHERE campaign = '${campaign}'`,
    );

  test('a repeated upload gives the request of the first, in its state by then', async () => {
    const { requestId } = await accepted(create('again', fileOf('again')));
    const finished = await client.finished('cost', requestId);
    expect(await accepted(create('again', fileOf('again')))).toEqual(finished);
    expect((await create('again', fileOf('again', 2))).status).toBe(422);
    expect(await deployment.query(`${storedClicks}again'`)).toEqual([{ clicks: 1, rows: 1 }]);
  });

  test('ten at once become one request', async () => {
    const all = await Promise.all(
      Array.from({ length: 10 }, () => accepted(create('ten', fileOf('ten')))),
    );
    const [requestId] = new Set(all.map((record) => record.requestId));
    expect(new Set(all.map((record) => record.requestId)).size).toBe(1);
    await client.finished('cost', requestId!);
    expect(await requestsOf('ten')).toEqual([{ requests: [requestId] }]);
  });

  test('a key is remembered over a restart', async () => {
    const { requestId } = await accepted(create('restart', fileOf('restart')));
    await client.finished('cost', requestId);
    await deployment.service.stop();
    await deployment.start(QUICK);
    expect((await accepted(create('restart', fileOf('restart')))).requestId).toBe(requestId);
    expect((await create('restart', fileOf('restart', 2))).status).toBe(422);
  });

  test('a gateway that dies between the claim and the end leaves the key to the retry', async () => {
    await deployment.service.stop();
    await deployment.start({ ...QUICK, ...killedAtEnd('before') });
    await expect(create('died', fileOf('died'))).rejects.toThrow();
    await deployment.service.exited;
    await deployment.start(QUICK);

    const { requestId } = await accepted(retried(() => create('died', fileOf('died'))));
    expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
    expect((await accepted(create('died', fileOf('died')))).requestId).toBe(requestId);
    expect(await requestsOf('died')).toEqual([{ requests: [requestId] }]);
  });

  test('one that dies behind the end has made a request, which the retry gets', async () => {
    await deployment.service.stop();
    await deployment.start({ ...QUICK, ...killedAtEnd('after') });
    await expect(create('ended', fileOf('ended'))).rejects.toThrow();
    await deployment.service.exited;
    await deployment.start(QUICK);

    const { requestId } = await accepted(retried(() => create('ended', fileOf('ended'))));
    await client.finished('cost', requestId);
    expect(await requestsOf('ended')).toEqual([{ requests: [requestId] }]);
  });
});

describeWithBroker('two gateways', () => {
  let cluster: Cluster;
  let gateways: ServiceProcess[];
  let token: string;

  beforeAll(async () => {
    cluster = await Cluster.open({ env: QUICK });
    token = await tokenFor(cluster.sharedDir, ACCOUNT);
    await cluster.start('ingest');
    await cluster.start('status');
    gateways = [await cluster.start('gateway'), await cluster.start('gateway')];
  });
  afterAll(() => cluster.close());

  test('make one request of ten uploads at once, and know each other’s keys', async () => {
    const client = new ApiClient(() => gateways[0]!.ports.api, token);
    for (const key of ['one', 'two', 'three']) {
      const all = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          accepted(send(gateways[i % 2]!, token, key, fileOf(key))),
        ),
      );
      const [requestId, ...others] = new Set(all.map((record) => record.requestId));
      expect(others).toEqual([]);
      await client.finished('cost', requestId!);
      expect(await cluster.query(`${storedClicks}${key}'`)).toEqual([{ clicks: 1, rows: 1 }]);
    }
    expect((await send(gateways[1]!, token, 'one', fileOf('another'))).status).toBe(422);
  });

  test('the retry of an upload whose gateway died goes through the other', async () => {
    const doomed = await cluster.start('gateway', killedAtEnd('before'));
    await expect(send(doomed, token, 'doomed', fileOf('doomed'))).rejects.toThrow();
    expect((await send(gateways[0]!, token, 'doomed', fileOf('doomed'))).status).toBe(409);
    const [first, second] = await Promise.all(
      gateways.map((gateway) =>
        accepted(retried(() => send(gateway, token, 'doomed', fileOf('doomed')))),
      ),
    );
    expect(first!.requestId).toBe(second!.requestId);
  });
});
