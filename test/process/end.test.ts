import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { ApiClient } from '../support/service/api-client.js';
import { run } from '../support/service/command.js';
import { Deployment } from '../support/service/deployment.js';
import {
  blockedAtSignal,
  logDyingAtSignal,
  poolWaitingFor,
} from '../support/service/preloads/preload.js';
import {
  makeDataDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../support/service/service-process.js';

/** How a process ends that cannot go on, whatever else is unavailable. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE =
  'date,channel,currency,campaign,impressions,clicks,cost\n2026-01-01,news,EUR,a,1,2,3\n';
const SHUTDOWN_SECONDS = 1;
/** SHUTDOWN_SECONDS plus five seconds. */
const END_MS = (SHUTDOWN_SECONDS + 5) * 1_000;
/** Allows for a busy machine that notices the end late. */
const SLACK_MS = 1_000;

let dataDir: string;
let token: string;
const running: ServiceProcess[] = [];

async function start(env: Record<string, string>): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(dataDir, env);
  running.push(service);
  return service;
}

beforeEach(async () => {
  dataDir = await makeDataDir();
  token = await tokenFor(dataDir, 'acme');
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.kill();
  await removeDataDir(dataDir);
});

/** Returns the milliseconds until the process has ended. */
async function untilEnd(service: ServiceProcess): Promise<number> {
  const from = performance.now();
  await service.exited;
  return performance.now() - from;
}

test('a main thread that is blocked in the stop: the process ends in time', async () => {
  const service = await start({ ...blockedAtSignal(), SHUTDOWN_SECONDS: String(SHUTDOWN_SECONDS) });
  await keepBusy(service);
  service.process.kill('SIGTERM');
  expect(await untilEnd(service)).toBeLessThan(END_MS + SLACK_MS);
  expect(service.process.signalCode).toBe('SIGKILL');
  expect(service.stderr).toBe('the process kills itself: it did not end in time\n');
});

test('a thread of the pool that waits for good: the process ends in time', async () => {
  const fifo = join(dataDir, 'fifo');
  run('mkfifo', [fifo]);
  const service = await start({
    ...poolWaitingFor(fifo),
    SHUTDOWN_SECONDS: String(SHUTDOWN_SECONDS),
  });
  service.process.kill('SIGTERM');
  expect(await untilEnd(service)).toBeLessThan(END_MS + SLACK_MS);
  expect(service.process.signalCode).toBe('SIGKILL');
});

test('a log that fails while the warehouse hangs ends the process in time, with 1', async () => {
  const deployment = await Deployment.open({ log: 'lmdb', warehouse: 'clickhouse' });
  try {
    const ofAcme = await tokenFor(deployment.dataDir, 'acme');
    const service = await deployment.start({
      ...logDyingAtSignal(),
      SHUTDOWN_SECONDS: String(SHUTDOWN_SECONDS),
    });
    const client = new ApiClient(() => service.ports.api, ofAcme);
    await client.upload('cost', FILE);
    await deployment.clickhouse!.fault({ kind: 'hang' });
    // Inserts of rows and of the history hang, and more records wait.
    const { struck } = await deployment.clickhouse!.counts();
    for (let i = 0; i < 3; i++) {
      await client.create('cost', FILE);
      await sleep(600);
    }
    expect((await deployment.clickhouse!.counts()).struck).toBeGreaterThan(struck + 1);
    service.process.kill('SIGUSR2');
    client.post('cost', FILE).catch(() => undefined);
    expect(await untilEnd(service)).toBeLessThan(END_MS + SLACK_MS);
    expect(service.process.exitCode).toBe(1);
  } finally {
    await deployment.close();
  }
});

test('a second signal changes nothing at once, and a later one ends the process', async () => {
  const service = await start({ SHUTDOWN_SECONDS: '60' });
  await keepBusy(service);
  service.process.kill('SIGINT');
  service.process.kill('SIGTERM');
  while (!service.logs.some(({ msg }) => msg === 'stopping')) await sleep(20);
  await sleep(1_100);
  expect(service.process.signalCode).toBe(null);
  expect(service.process.exitCode).toBe(null);
  service.process.kill('SIGINT');
  expect(await untilEnd(service)).toBeLessThan(SLACK_MS);
});

/** Begins an upload whose body never ends. A stop waits for it until the shutdown deadline. */
async function keepBusy(service: ServiceProcess): Promise<void> {
  const client = new ApiClient(() => service.ports.api, token);
  client.postHalf('cost', FILE).catch(() => undefined);
  while ((await service.metric('custom_data_uploads_receiving')) === 0) await sleep(20);
}

/** Starts a program with a watchdog of two seconds. It ends when its standard input ends. */
function guarded(program: string): ReturnType<typeof spawn> {
  const source = `
    import { Watchdog } from './dist/ops/watchdog.js';
    new Watchdog(2);
    ${program}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', source], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

test('a main thread that is blocked although nothing is to end: the process ends', async () => {
  const child = guarded('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);');
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
});

test('a process that was halted for longer goes on', async () => {
  const child = guarded(
    "process.stdin.on('end', () => process.exit(3)).resume(); console.log('up');",
  );
  await once(child.stdout!, 'data');
  for (let i = 0; i < 2; i++) {
    child.kill('SIGSTOP');
    await sleep(3_000);
    child.kill('SIGCONT');
    await sleep(500);
  }
  child.stdin!.end();
  expect(await once(child, 'exit')).toEqual([3, null]);
});
