import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Gauge, Registry } from 'prom-client';
import { createLogger } from '../../../src/ops/logger.js';
import { measurementFailures, processReady } from '../../../src/ops/metrics.js';
import { createOpsServer, type OpsServer } from '../../../src/ops/ops-server.js';
import { checkReadiness, type ReadinessChecks } from '../../../src/ops/readiness.js';

const servers: OpsServer[] = [];
const registry = new Registry();

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(
  readiness: ReadinessChecks = {},
  reportedOnly: ReadinessChecks = {},
): Promise<string> {
  const logger = createLogger('silent');
  const server = createOpsServer({ registry, readiness, reportedOnly, logger });
  servers.push(server);
  return `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
}

const holds = () => Promise.resolve();
const failing = (reason: string) => () => Promise.reject(new Error(reason));

test('metrics are those of the registry and of Node', async () => {
  new Gauge({ name: 'answer', help: 'The answer.', registers: [registry] }).set(42);
  const response = await fetch(`${await serve()}/metrics`);
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(text).toContain('\nanswer 42\n');
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
  expect(text).toContain('process_resident_memory_bytes');
});

test('metrics that cannot be brought up to date do not hide the others', async () => {
  const server = createOpsServer({
    registry,
    readiness: {},
    logger: createLogger('silent'),
    measurements: { lag: failing('the log does not answer'), disk: holds },
  });
  servers.push(server);
  const port = await server.listen(0, '127.0.0.1');
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('process_resident_memory_bytes');
  expect((await measurementFailures.get()).values).toEqual([
    { labels: { measurement: 'lag' }, value: 1 },
    { labels: { measurement: 'disk' }, value: 0 },
  ]);
});

test('a process that is not ready is alive all the same', async () => {
  const base = await serve({ log: failing('no broker answers') });
  const response = await fetch(`${base}/health/live`);
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
});

describe('readiness', () => {
  test('holds when every check holds', async () => {
    const response = await fetch(`${await serve({ log: holds, warehouse: holds })}/health/ready`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok', checks: { log: 'ok', warehouse: 'ok' } });
  });

  test('tells the reasons of all that do not hold', async () => {
    const base = await serve({
      log: holds,
      warehouse: failing('schema 3 is awaited'),
      gateway: failing('shutting down'),
    });
    const response = await fetch(`${base}/health/ready`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      status: 'unavailable',
      checks: { log: 'ok', warehouse: 'schema 3 is awaited', gateway: 'shutting down' },
    });
  });

  test('does not depend on what is only reported', async () => {
    const reportedOnly = { log: failing('no broker answers') };
    const response = await fetch(`${await serve({ service: holds }, reportedOnly)}/health/ready`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: 'degraded',
      checks: { service: 'ok', log: 'no broker answers' },
    });
    const stopping = await serve({ service: failing('the service is stopping') }, { log: holds });
    expect((await fetch(`${stopping}/health/ready`)).status).toBe(503);
  });

  test('is a metric, too', async () => {
    await fetch(`${await serve({ log: holds })}/metrics`);
    expect((await processReady.get()).values).toEqual([{ labels: {}, value: 1 }]);
    await fetch(`${await serve({ log: failing('no broker answers') })}/metrics`);
    expect((await processReady.get()).values).toEqual([{ labels: {}, value: 0 }]);
  });

  test('does not wait for a check that hangs', async () => {
    const report = await checkReadiness({ log: () => new Promise(() => undefined) });
    expect(report).toEqual({ status: 'unavailable', checks: { log: 'no answer within 800 ms' } });
  });
});

test('anything else is refused', async () => {
  const base = await serve();
  expect((await fetch(`${base}/`)).status).toBe(404);
  expect((await fetch(`${base}/metrics/x`)).status).toBe(404);
  const post = await fetch(`${base}/metrics`, { method: 'POST', body: 'x' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('a port that is taken rejects', async () => {
  const port = Number(new URL(await serve()).port);
  const server = createOpsServer({ registry, readiness: {}, logger: createLogger('silent') });
  await expect(server.listen(port, '127.0.0.1')).rejects.toThrow('EADDRINUSE');
  await server.close();
});

test('closing does not wait for a client that keeps its connection', async () => {
  const base = await serve();
  await fetch(`${base}/health/live`);
  const server = servers.pop()!;
  await server.close();
  await server.close();
  await expect(fetch(`${base}/health/live`)).rejects.toThrow();
  const again = createServer().listen(Number(new URL(base).port), '127.0.0.1');
  await once(again, 'listening');
  again.close();
});
