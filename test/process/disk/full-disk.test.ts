import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { Load } from '../../support/service/load.js';
import { describeWithDisks } from '../../support/disk/describe-with-disks.js';
import { LoopDisks } from '../../support/disk/loop-disks.js';
import { ServiceProcess, tokenFor } from '../../support/service/service-process.js';
import { SmallDisk } from '../../support/disk/small-disk.js';
import { COST, csvOf, SELF_SERVE } from '../../support/model/warehouse-model.js';

/**
 * A disk without free space, for all data of the embedded service or for a part of it, and a disk
 * that turns read-only.
 */

/** Less than the log leaves free for others. */
const LITTLE_MB = 32;
const CLIENTS = 3;
const WAIT_MS = 60_000;
/** How long another program fills the disk while the service has work to do. */
const FULL_MS = 2_000;
const MIB = 1_048_576;
const FILE = csvOf(COST, [
  {
    date: '2026-01-01',
    channel: 'news',
    currency: 'EUR',
    campaign: 'a',
    impressions: '1',
    clicks: '2',
    cost: '3',
  },
]);

describeWithDisks('a disk', () => {
  let disks: LoopDisks;
  let dataDir: string;
  let service: ServiceProcess;
  const started: ServiceProcess[] = [];
  /** Nothing listens on port 1, which is used while the service is down. */
  let api = 1;
  const port = (): number => api;

  beforeEach(() => {
    disks = LoopDisks.open();
    dataDir = join(disks.folder, 'data');
  });
  afterEach(async () => {
    for (const each of started.splice(0)) await each.kill();
    disks.close();
  });

  async function start(env: Record<string, string> = {}): Promise<void> {
    service = ServiceProcess.begin(dataDir, env);
    started.push(service);
    api = 1;
    await service.listening();
    api = service.ports.api;
  }

  async function client(): Promise<ApiClient> {
    const client = new ApiClient(port, await tokenFor(dataDir, 'acme'));
    // The service accepts a new token within a second.
    await until(
      () => client.get('cost', 'none'),
      ({ status }) => status !== 401,
    );
    return client;
  }

  function logged(message: string): Promise<unknown> {
    return until(
      () => Promise.resolve(service.logs.map(({ msg }) => msg)),
      (messages) => messages.includes(message),
    );
  }

  function loaded(accounts = 'account'): Promise<Load> {
    return Load.create({ clients: CLIENTS, accounts, dataDir, port });
  }

  it.each([
    ['all that is stored', '.', 400],
    ['the log', 'log', 160],
  ])(
    'without room for %s lets creates be answered 503, and all goes on when there is room',
    async (what, folder, megabytes) => {
      const disk = new SmallDisk(disks, join(dataDir, folder), megabytes, what);
      await start();
      const load = await loaded();
      load.start();
      await load.atLeast(1);
      const acme = await client();
      disk.fill(LITTLE_MB);
      const answer = await until(
        () => acme.post('cost', FILE),
        ({ status }) => status === 503,
      );
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);

      disk.empty();
      await load.atLeast(load.fewest + 2);
      await load.stop();
      await load.expectAllAsModelled(service, service);
    },
  );

  it('without room for the warehouse alone lets creates be answered 201, and they wait', async () => {
    const disk = new SmallDisk(disks, join(dataDir, 'warehouse'), 96, 'the warehouse');
    await start();
    const acme = await client();
    disk.fillUp();
    const { requestId } = await acme.create('cost', FILE);
    await acme.until('cost', requestId, 'validated');
    await until(
      () => service.metric('custom_data_warehouse_errors_total', 'class="retry"'),
      (errors) => errors > 0,
    );
    const second = await acme.create('cost', FILE);
    expect(await acme.until('cost', requestId, 'validated', 'failed')).toMatchObject({
      status: 'validated',
    });

    disk.empty();
    for (const id of [requestId, second.requestId]) {
      expect(await acme.finished('cost', id)).toMatchObject({ status: 'succeeded' });
    }
  });

  it('without room for the crash journal alone lets creates be answered 201, and they wait', async () => {
    const disk = new SmallDisk(disks, dataDir, 64, 'the crash journal');
    for (const folder of ['log', 'warehouse']) {
      const roomy = join(disks.folder, folder);
      mkdirSync(roomy);
      disks.mount(roomy, join(dataDir, folder), '--bind');
    }
    await start();
    const acme = await client();
    disk.fillUp();
    const { requestId } = await acme.create('cost', FILE);
    await logged('uploads wait until the disk has room for working files');
    expect(await acme.create('cost', FILE)).toMatchObject({ status: 'uploaded' });

    disk.empty();
    expect(await acme.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
  });

  it('without room for open uploads alone holds nothing up', async () => {
    const disk = new SmallDisk(disks, join(dataDir, 'spill'), 16, 'open uploads');
    await start({ OPEN_UPLOADS_MAX_BYTES: String(MIB) });
    const acme = await client();
    const load = await loaded();
    load.start();
    disk.fillUp();
    const large = gzipSync(largerThanMemory());
    const creates = [1, 2, 3].map(() => acme.create('self-serve', large));
    for (const { requestId } of await Promise.all(creates)) {
      expect(await acme.finished('self-serve', requestId)).toMatchObject({ status: 'succeeded' });
    }
    await logged('there is no room for open uploads: they are read again at their end');
    await load.atLeast(load.fewest + 2);
    await load.stop();
    disk.empty();
    await load.expectUploadsAsModelled(service);
  });

  it('whose last room something else takes refuses creates until there is room', async () => {
    const disk = new SmallDisk(disks, dataDir, 400, 'all that is stored, to its last block');
    await start();
    const load = await loaded();
    load.start();
    await load.atLeast(2);
    const acme = await client();
    disk.fillUp();
    const answer = await until(
      () => acme.post('cost', FILE),
      ({ status }) => status === 503,
    );
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
    await sleep(FULL_MS);
    disk.empty();
    await load.atLeast(load.fewest + 2);
    await load.stop();
    await load.expectUploadsAsModelled(service);
    expect(service.process.exitCode ?? service.process.signalCode).toBeNull();
  });

  it.each([
    ['at rest', 'all that is stored', '.'],
    ['under load', 'all that is stored', '.'],
    ['under load', 'the warehouse', 'warehouse'],
  ])(
    'that turns read-only %s under %s ends the process, and once it is mended the next one goes on',
    async (when, what, folder) => {
      const disk = new SmallDisk(disks, join(dataDir, folder), 400, `${what}, ${when}`);
      await start({ SHUTDOWN_SECONDS: '2' });
      const before = await loaded('before');
      before.start();
      const after = await loaded('after');
      await before.atLeast(2);
      await before.stop();
      await before.expectUploadsAsModelled(service);
      if (when === 'under load') {
        after.start();
        await after.atLeast(1);
      }
      disk.turnReadOnly();
      if (when === 'at rest') after.start();
      await ended(service);
      expectEndedByItself(service);

      disk.mend();
      await start();
      await after.atLeast(after.fewest + 1);
      await after.stop();
      for (const load of [before, after]) await load.expectUploadsAsModelled(service);
    },
  );
});

/** Polls `ask` until `isIt` accepts the answer, and returns it. */
async function until<T>(ask: () => Promise<T>, isIt: (answer: T) => boolean): Promise<T> {
  for (const end = Date.now() + WAIT_MS; ;) {
    const answer = await ask();
    if (isIt(answer)) return answer;
    if (Date.now() > end) throw new Error('it does not come to that');
    await sleep(50);
  }
}

/** Rejects with the service's output when the process goes on. */
async function ended({ exited, logs }: ServiceProcess): Promise<void> {
  const late = sleep(WAIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`the service goes on: ${JSON.stringify(logs.slice(-20))}`);
  });
  await Promise.race([exited, late]);
}

function expectEndedByItself({ process: { exitCode, signalCode }, logs }: ServiceProcess): void {
  expect({ exitCode, signalCode }).toEqual({ exitCode: 1, signalCode: null });
  expect(logs.map(({ msg }) => msg)).toContain('cannot go on, stopping');
}

/** Returns a file that does not fit into the memory for open uploads. */
function largerThanMemory(): string {
  const date = new Date().toISOString().slice(0, 10);
  const rows = Array.from({ length: 60_000 }, (_, i) => ({
    date,
    channel: 'news',
    event_category: 'Score',
    event_value: String(i),
    campaign: `campaign ${i}`,
  }));
  return csvOf(SELF_SERVE, rows);
}
