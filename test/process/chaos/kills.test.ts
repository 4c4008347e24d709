import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { Role } from '../../../src/config/config.js';
import { until } from '../../support/until.js';
import { Cluster } from '../../support/service/cluster.js';
import { isAnyAlone } from '../../support/service/crash-journal.js';
import { describeWithBroker } from '../../support/kafka/describe-with-broker.js';
import { Load } from '../../support/service/load.js';
import type { ServiceProcess } from '../../support/service/service-process.js';
import { IS_SOAK } from '../../support/service/soak.js';

/** Kills every process of the scaled-out service with SIGKILL, again and again under load. */

/** Each round kills every process once. */
const ROUNDS = IS_SOAK ? 4 : 1;
const LONGEST_PAUSE_MS = 600;
/** A killed consumer keeps its partitions until its session ends, after 10 s. */
const WORKING_MS = 90_000;
const CLIENTS = IS_SOAK ? 6 : 3;

/** A place in the cluster: a process, or its successor that is starting. */
class Seat {
  running: ServiceProcess | undefined;
  private start: Promise<ServiceProcess>;

  constructor(
    readonly role: Role,
    private readonly cluster: Cluster,
  ) {
    this.start = this.seated(cluster.start(role));
  }

  get up(): Promise<ServiceProcess> {
    return this.start;
  }

  /** Kills the process once it is up. Does not wait for its successor. */
  async kill(): Promise<void> {
    const process = await this.start;
    if (this.role === 'ingest') await untilNoneIsAlone(process);
    this.running = undefined;
    await process.kill();
    this.start = this.seated(this.cluster.restart(process, this.role));
  }

  /** Resolves when this ingest process has finished an upload. */
  async isAtWork(): Promise<void> {
    const { logs } = await this.start;
    for (const until = Date.now() + WORKING_MS; Date.now() < until;) {
      if (logs.some(({ msg }) => msg === 'upload succeeded')) return;
      await sleep(50);
    }
    throw new Error('the ingest process has got no uploads');
  }

  private seated(start: Promise<ServiceProcess>): Promise<ServiceProcess> {
    start.then(
      (process) => (this.running = process),
      // Callers that await `start` get the error.
      () => undefined,
    );
    return start;
  }
}

/** An upload that is processed alone is blamed for the end of its process: after three it fails. */
async function untilNoneIsAlone({ dataDir }: ServiceProcess): Promise<void> {
  const journal = join(dataDir, 'ingest-journal');
  await until(async () => !isAnyAlone(await readFile(journal, 'utf8').catch(() => '')));
}

describeWithBroker('kills', () => {
  let cluster: Cluster;
  let seats: Seat[];
  beforeAll(async () => {
    cluster = await Cluster.open();
    const roles = ['gateway', 'gateway', 'ingest', 'ingest', 'status'] as const;
    seats = roles.map((role) => new Seat(role, cluster));
    await Promise.all(seats.map(({ up }) => up));
  });
  afterAll(() => cluster.close(), 120_000);

  /** Returns the port of the client's gateway, or of the other gateway while that is down. */
  function portOf(client: number): number {
    const gateways = client % 2 === 0 ? [seats[0]!, seats[1]!] : [seats[1]!, seats[0]!];
    const up = gateways.find(({ running }) => running !== undefined);
    // While both are down, nothing listens on the port.
    return up?.running?.ports.api ?? 1;
  }

  test('everything answered with 201 ends as the model says, whoever is killed when', async () => {
    const { sharedDir } = cluster;
    const load = await Load.create({
      clients: CLIENTS,
      dataDir: sharedDir,
      port: portOf,
      files: { pauseMs: 50 },
    });
    load.start();
    let kills = 0;
    for (let round = 0; round < ROUNDS; round++) {
      let isFirstIngest = true;
      for (const seat of shuffled(seats)) {
        // Each round kills one ingest process while it works, and the other at any moment.
        if (seat.role === 'ingest' && isFirstIngest) {
          isFirstIngest = false;
          await seat.isAtWork();
        }
        await sleep(Math.random() * LONGEST_PAUSE_MS);
        for (const { role, running } of seats) {
          if (role === 'gateway' && running !== undefined) {
            expect((await running.readiness()).status).toBe(200);
          }
        }
        await seat.kill();
        kills++;
      }
    }
    expect(kills).toBe(ROUNDS * seats.length);
    const status = await seats[4]!.up;
    await load.atLeast(load.fewest + 2);
    await load.stop();
    await load.expectAllAsModelled(cluster, status).catch(async (error: unknown) => {
      throw new Error(`${String(error)}\n${await cluster.lastWords()}`, { cause: error });
    });
  });
});

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
