import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { uploaded, type Transition } from '../../../src/status/transition.js';
import { httpDuration, readsWaiting } from '../../../src/ops/metrics.js';
import { heapUsed } from '../../support/machine/heap-used.js';
import { RawClient } from '../../support/gateway/raw-client.js';
import { type Gateway, OWNER, startGateway } from '../../support/gateway/gateway.js';

const ID = '01a1fbda-f483-7a98-aef9-d3cd461cb82d';
const identity = { requestId: ID, account: 'acme', family: 'cost' } as const;
const UPLOADED = uploaded({ ...identity, version: '1', sentMax: '1', bytes: 7 }, Date.now());
const VALIDATED: Transition = { ...UPLOADED, status: 'validated', prevStatus: 'uploaded' };
const SUCCEEDED: Transition = { ...UPLOADED, status: 'succeeded', prevStatus: 'ingested' };

const waitingNow = async (): Promise<number> => (await readsWaiting.get()).values[0]!.value;

let gateway: Gateway;
let begun: number;
beforeEach(async () => {
  gateway = await startGateway();
  gateway.lookup.remember(UPLOADED);
  begun = performance.now();
});
afterEach(() => gateway.close());

const waited = (): number => performance.now() - begun;

const HEADERS = { Authorization: `SERVICE-API-KEY ${OWNER}` };

function read(prefer: string, id = ID): Promise<Response> {
  return fetch(`${gateway.url}/cost/requests/${id}`, { headers: { ...HEADERS, Prefer: prefer } });
}

async function untilWaiting(count: number): Promise<void> {
  const until = Date.now() + 30_000;
  while ((await waitingNow()) !== count) {
    if (Date.now() > until) throw new Error(`${await waitingNow()} wait, not ${count}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('Prefer: wait', () => {
  test('is answered when the state changes', async () => {
    const answering = read('wait=20');
    await untilWaiting(1);
    gateway.lookup.remember(UPLOADED);
    expect(await waitingNow()).toBe(1);
    gateway.lookup.remember(VALIDATED);
    const answer = await answering;
    expect(await answer.json()).toMatchObject({ status: 'validated', prevStatus: 'uploaded' });
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
    expect(waited()).toBeLessThan(15_000);
    expect(await waitingNow()).toBe(0);
  });

  test('is answered with the same state when the time is over', async () => {
    const secondsBefore = await secondsOfReads();
    const answer = await read('wait=1');
    expect(await answer.json()).toMatchObject({ status: 'uploaded' });
    expect(answer.headers.get('preference-applied')).toBe('wait=1');
    expect(waited()).toBeGreaterThan(950);
    expect(await waitingNow()).toBe(0);
    // The metric does not include the time that the client asked to wait.
    expect((await secondsOfReads()) - secondsBefore).toBeLessThan(0.9);
  });

  test('of a final state is answered at once, and more than 30 s are cut', async () => {
    gateway.lookup.remember(SUCCEEDED);
    const answer = await read('wait=3600');
    expect(await answer.json()).toMatchObject({ status: 'succeeded' });
    expect(answer.headers.get('preference-applied')).toBe('wait=30');
    expect(waited()).toBeLessThan(15_000);
  });

  test('malformed, or of what is not there, is answered at once without the header', async () => {
    const answer = await read('wait=soon');
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, null]);
    const unknown = await read('wait=20', '01a1fbda-f483-7a98-aef9-000000000000');
    expect([unknown.status, unknown.headers.get('preference-applied')]).toEqual([404, null]);
    expect(waited()).toBeLessThan(15_000);
  });

  test('of a client that goes away is over', async () => {
    const client = await RawClient.connect(gateway.port);
    client.head(`GET /custom-data-upload/v1.0/cost/requests/${ID}`, {
      ...HEADERS,
      Prefer: 'wait=20',
    });
    await untilWaiting(1);
    client.destroy();
    await untilWaiting(0);
  });

  test('is answered at once when the server stops', async () => {
    const answering = read('wait=20');
    await untilWaiting(1);
    const closing = gateway.close();
    const answer = await answering;
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, null]);
    await closing;
    expect(waited()).toBeLessThan(15_000);
  });

  test('2,000 at once cost little and are all answered by one change', async () => {
    const count = 2_000;
    const clients: RawClient[] = [];
    for (let i = 0; i < count; i++) clients.push(await RawClient.connect(gateway.port));
    const before = heapUsed();
    for (const client of clients) {
      client.head(`GET /custom-data-upload/v1.0/cost/requests/${ID}`, {
        ...HEADERS,
        Prefer: 'wait=30',
      });
    }
    await untilWaiting(count);
    let during = Infinity;
    // Takes the smallest of several values, to exclude data that is still written to the sockets.
    for (let look = 0; look < 5; look++) {
      during = Math.min(during, heapUsed());
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    let cpuShare = Infinity;
    for (let look = 0; look < 3; look++) {
      const cpu = process.cpuUsage();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const { user, system } = process.cpuUsage(cpu);
      cpuShare = Math.min(cpuShare, (user + system) / 1_000_000);
    }
    const answeringFrom = performance.now();
    gateway.lookup.remember(VALIDATED);
    const answers = await Promise.all(clients.map((client) => client.answer()));
    const answeredMs = performance.now() - answeringFrom;
    for (const client of clients) client.destroy();
    for (const { status, body } of answers) {
      expect([status, (JSON.parse(body) as Transition).status]).toEqual([200, 'validated']);
    }
    expect(await waitingNow()).toBe(0);
    // Takes the smaller of two differences, to exclude what this process allocated meanwhile.
    const perWaiter = Math.min(during - before, during - heapUsed()) / count;
    expect(perWaiter).toBeLessThan(25 * 1024);
    expect(cpuShare).toBeLessThan(0.2);
    expect(answeredMs).toBeLessThan(15_000);
  });
});

/** Returns the seconds of all reads together that the metric of durations has counted. */
async function secondsOfReads(): Promise<number> {
  const { values } = await httpDuration.get();
  return values
    .filter(
      ({ metricName, labels }) =>
        metricName?.endsWith('_sum') === true && labels.operation === 'read',
    )
    .reduce((sum, { value }) => sum + value, 0);
}
