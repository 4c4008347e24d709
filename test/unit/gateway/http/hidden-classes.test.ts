import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { RecordToAppend } from '../../../../src/log/upload-log.js';
import { form, post } from '../../../support/gateway/forms.js';
import { OWNER, startGateway, type Gateway } from '../../../support/gateway/gateway.js';

setFlagsFromString('--allow-natives-syntax');
// eslint-disable-next-line @typescript-eslint/no-implied-eval -- V8's own syntax
const haveSameClass = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (
  a: object,
  b: object,
) => boolean;

/** After this many calls V8 has settled the hidden classes. */
const CALLS = 40;

let gateway: Gateway;
const requests: IncomingMessage[] = [];
const responses: ServerResponse[] = [];
const records: RecordToAppend[] = [];

beforeEach(async () => {
  for (const seen of [requests, responses, records]) seen.length = 0;
  gateway = await startGateway();
  const server: Server = gateway.app.getHttpServer();
  server.on('request', (request, response) => {
    requests.push(request);
    responses.push(response);
  });
  gateway.log.fails = (_, appended) => {
    records.push(...appended);
    return false;
  };
});
afterEach(() => gateway.close());

/** Compares the last two objects, which are of the same kind. */
function expectSameClass(objects: readonly object[]): void {
  expect(objects.length).toBeGreaterThanOrEqual(CALLS);
  expect(haveSameClass(objects.at(-1)!, objects.at(-2)!)).toBe(true);
}

test('requests, responses and headers of records share their hidden classes in creates', async () => {
  for (let i = 0; i < CALLS; i++) {
    const response = await post(`${gateway.url}/cost/requests/`, form({ content: 'a\n' }));
    expect(response.status).toBe(201);
  }
  expectSameClass(requests);
  expectSameClass(responses);
  for (const type of ['chunk', 'end']) {
    const headers = records.map((record) => record.headers).filter((of) => of['type'] === type);
    expectSameClass(headers);
  }
});

test('requests and responses share their hidden classes in reads', async () => {
  const created = await post(`${gateway.url}/cost/requests/`, form({ content: 'a\n' }));
  const { requestId } = (await created.json()) as { requestId: string };
  requests.length = responses.length = 0;
  for (let i = 0; i < CALLS; i++) {
    const response = await fetch(`${gateway.url}/cost/requests/${requestId}`, {
      headers: { Authorization: `SERVICE-API-KEY ${OWNER}` },
    });
    expect(response.status).toBe(200);
    await response.text();
  }
  expectSameClass(requests);
  expectSameClass(responses);
});
