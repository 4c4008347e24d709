import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

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
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../support/service/service-process.js';
import { until } from '../support/until.js';

/** How a process ends that cannot go on, whatever else is unavailable. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE =
  'date,channel,currency,campaign,impressions,clicks,cost\n2026-01-01,news,EUR,a,1,2,3\n';
const SHUTDOWN_SECONDS = 1;
/** SHUTDOWN_SECONDS plus five seconds. */
const END_MS = (SHUTDOWN_SECONDS + 5) * 1_000;
/** Allows for a busy machine that notices the end late. */
const SLACK_MS = 1_000;

const folders: string[] = [];
const running: ServiceProcess[] = [];

async function newFolder(): Promise<string> {
  const folder = await makeDataDir();
  folders.push(folder);
  return folder;
}

/** Starts a service in a folder of its own. */
async function start(env: Record<string, string>): Promise<ServiceProcess> {
  const folder = await makeMigratedDir();
  folders.push(folder);
  const service = await ServiceProcess.start(folder, env);
  running.push(service);
  return service;
}

afterAll(async () => {
  for (const service of running) await service.kill();
  for (const folder of folders) await removeDataDir(folder);
});

/** Returns the milliseconds until the process has ended. */
async function untilEnd(service: ServiceProcess): Promise<number> {
  const from = performance.now();
  await service.exited;
  return performance.now() - from;
}

/** Begins an upload whose body never ends. A stop waits for it until the shutdown deadline. */
async function keepBusy(service: ServiceProcess): Promise<void> {
  const token = await tokenFor(service.dataDir, 'acme');
  const client = new ApiClient(() => service.ports.api, token);
  // A running service accepts a new token within a second.
  await until(async () => (await client.get('cost', 'none')).status !== 401, 50);
  client.postHalf('cost', FILE).catch(() => undefined);
  await until(async () => (await service.metric('custom_data_uploads_receiving')) !== 0, 20);
}

/** Starts a program with a watchdog of three seconds. It ends when its standard input ends. */
function guarded(program: string): ReturnType<typeof spawn> {
  const source = `
    import { Watchdog } from './dist/ops/watchdog.js';
    new Watchdog(3);
    ${program}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', source], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** Each of these waits for seconds and hardly computes, so they wait side by side. */
describe('after some seconds', () => {
  let blocked: ServiceProcess;
  let blockedForMs: number;
  let waiting: ServiceProcess;
  let waitingForMs: number;
  let endOfBlocked: unknown;
  let endOfHalted: unknown;

  beforeAll(async () => {
    const settings = { SHUTDOWN_SECONDS: String(SHUTDOWN_SECONDS) };
    blocked = await start({ ...blockedAtSignal(), ...settings });
    const fifo = join(await newFolder(), 'fifo');
    run('mkfifo', [fifo]);
    waiting = await start({ ...poolWaitingFor(fifo), ...settings });
    await keepBusy(blocked);

    for (const service of [blocked, waiting]) service.process.kill('SIGTERM');
    [blockedForMs, waitingForMs, endOfBlocked, endOfHalted] = await Promise.all([
      untilEnd(blocked),
      untilEnd(waiting),
      once(guarded('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);'), 'exit'),
      halted(),
    ]);
  });

  /**
   * Halts a process for longer than its watchdog waits, twice. Returns how it ends. After a halt
   * the watchdog may have its turn before the main thread, so it needs a second more than that.
   */
  async function halted(): Promise<unknown> {
    const child = guarded(
      "process.stdin.on('end', () => process.exit(3)).resume(); console.log('up');",
    );
    await once(child.stdout!, 'data');
    for (let i = 0; i < 2; i++) {
      child.kill('SIGSTOP');
      await sleep(3_500);
      child.kill('SIGCONT');
      await sleep(500);
    }
    child.stdin!.end();
    return once(child, 'exit');
  }

  test('a main thread that is blocked in the stop: the process ends in time', () => {
    expect(blockedForMs).toBeLessThan(END_MS + SLACK_MS);
    expect(blocked.process.signalCode).toBe('SIGKILL');
    expect(blocked.stderr).toBe('the process kills itself: it did not end in time\n');
  });

  test('a thread of the pool that waits for good: the process ends in time', () => {
    expect(waitingForMs).toBeLessThan(END_MS + SLACK_MS);
    expect(waiting.process.signalCode).toBe('SIGKILL');
  });

  test('a main thread that is blocked although nothing is to end: the process ends', () => {
    expect(endOfBlocked).toEqual([null, 'SIGKILL']);
  });

  test('a process that was halted for longer goes on', () => {
    expect(endOfHalted).toEqual([3, null]);
  });
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
    const { struck } = await deployment.clickhouse!.counts();
    await deployment.clickhouse!.fault({ kind: 'hang' });
    for (let i = 0; i < 3; i++) {
      await client.create('cost', FILE);
      await sleep(600);
    }
    // Inserts of rows and of the history hang, and more records wait.
    await until(async () => (await deployment.clickhouse!.counts()).struck >= struck + 2, 50);
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
  await until(() => service.logs.some(({ msg }) => msg === 'stopping'), 20);
  await sleep(1_100);
  expect(service.process.signalCode).toBe(null);
  expect(service.process.exitCode).toBe(null);
  service.process.kill('SIGINT');
  // Without this signal the process waits for a minute, and the watchdog says why it kills it.
  expect(await untilEnd(service)).toBeLessThan(30_000);
  expect([service.process.signalCode, service.stderr]).toEqual(['SIGKILL', '']);
});
