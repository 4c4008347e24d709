import { randomInt, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { expectInvariants } from '../../support/service/invariants.js';
import { Load } from '../../support/service/load.js';
import { describeWithDisks } from '../../support/disk/describe-with-disks.js';
import { PowerLossDisk } from '../../support/disk/power-loss.js';
import { seededRandom } from '../../support/model/seeded-random.js';
import { ServiceProcess, tokenFor } from '../../support/service/service-process.js';
import { IS_SOAK } from '../../support/service/soak.js';

/**
 * The machine of the embedded service loses power. Everything answered before is stored, and
 * nothing is stored in part. POWER_LOSS_SEED repeats the moments of a run, POWER_LOSS_CUTS sets
 * their number.
 */

const SEED = Number(process.env['POWER_LOSS_SEED'] ?? randomInt(2 ** 31));
const CUTS = Number(process.env['POWER_LOSS_CUTS'] ?? (IS_SOAK ? 12 : 8));
const CLIENTS = 3;

/** The latest moment of a cut, from the start of what it interrupts: about its duration. */
const LONGEST_MS = { start: 2_500, load: 2_000, shutdown: 600 };

const random = seededRandom(SEED);

describeWithDisks(`a machine that loses its power (seed ${SEED})`, () => {
  let disk: PowerLossDisk;
  let dataDir: string;
  let service: ServiceProcess;
  /** Nothing listens on port 1, which is used while the service is down. */
  let port = 1;
  const started: ServiceProcess[] = [];
  const loads: Load[] = [];

  beforeAll(() => {
    process.stderr.write(`power loss: POWER_LOSS_SEED=${SEED}\n`);
    disk = PowerLossDisk.create();
    dataDir = join(disk.folder, 'data');
  });
  afterAll(async () => {
    for (const each of started) await each.kill();
    disk.close();
  });

  function begin(): void {
    service = ServiceProcess.begin(dataDir);
    started.push(service);
    port = 1;
  }

  async function start(): Promise<void> {
    begin();
    await service.listening();
    port = service.ports.api;
  }

  /** Cuts the power while the service starts. */
  async function cutStart(): Promise<void> {
    begin();
    await sleep(random() * LONGEST_MS.start);
    await disk.cut(service, 'during a start');
  }

  const moments: Record<string, { readonly cuts: number; cut(): Promise<void> }> = {
    'under load': { cuts: 1, cut: () => disk.cut(service, 'under load') },
    'during a shutdown': {
      cuts: 1,
      async cut() {
        service.process.kill('SIGTERM');
        await sleep(random() * LONGEST_MS.shutdown);
        await disk.cut(service, 'during a shutdown');
      },
    },
    'right after a token is made': {
      cuts: 1,
      async cut() {
        const token = await tokenFor(dataDir, 'late');
        await disk.cut(service, 'right after a token is made');
        late.push(token);
      },
    },
    'under load, and again during the start after it': {
      cuts: 2,
      async cut() {
        await disk.cut(service, 'under load');
        await cutStart();
      },
    },
  };
  const late: string[] = [];

  it('starts after a cut during its first start', async () => {
    await cutStart();
    await start();
  });

  it.each(rounds(moments))('has what it answered after cut %i, %s', async (number, moment) => {
    const load = await Load.create({
      clients: CLIENTS,
      accounts: `cut-${number}`,
      dataDir,
      port: () => port,
    });
    loads.push(load);
    load.start();
    await load.atLeast(1);
    await sleep(random() * LONGEST_MS.load);
    await moments[moment]!.cut();

    await start();
    const before = load.fewest;
    await load.atLeast(before + 1);
    await load.stop();
    await load.expectUploadsAsModelled(service);
    for (const token of late) {
      const client = new ApiClient(() => port, token);
      expect((await client.get('cost', randomUUID())).status).toBe(404);
    }
  });

  it('has all of it at the end', async () => {
    for (const load of loads) await load.expectUploadsAsModelled(service);
    await expectInvariants(service, service, ...loads.flatMap(({ known }) => known));
  });
});

/**
 * Returns the moments in turn, each with the number of its cut. The cut during the first start is
 * number 1.
 */
function rounds(moments: Readonly<Record<string, { readonly cuts: number }>>): [number, string][] {
  const all: [number, string][] = [];
  for (let cut = 2; cut <= CUTS;) {
    for (const [name, { cuts }] of Object.entries(moments)) {
      if (cut > CUTS) break;
      all.push([cut, name]);
      cut += cuts;
    }
  }
  return all;
}
