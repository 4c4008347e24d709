import { expect } from '@jest/globals';

import { headerBytes } from '../../../support/kafka/kafka-proxy.js';
import {
  found,
  GROUP,
  INGEST_PROCESSES,
  type ThreeBrokers,
  UPLOADS,
} from '../../../support/service/three-brokers.js';
import { COST, csvOf } from '../../../support/model/warehouse-model.js';

/**
 * Causes a fault and checks, by what the brokers report, that it happened while uploads were open.
 * Then checks that the service accepts later uploads.
 */
type Fault = (rig: ThreeBrokers) => Promise<void>;

const FILE = csvOf(COST, [
  {
    date: '2026-02-01',
    channel: 'news',
    currency: 'EUR',
    campaign: 'one',
    impressions: '1',
    clicks: '1',
    cost: '0.5',
  },
]);

/** In the log of a controller that has no leader. */
const ASKS_FOR_VOTES = /Completed transition to (?:Prospective|Candidate)State/;

/** In the log of a partition's leader. */
const SHRINKS = /Partition custom-data\.\S+ broker=\d+\] Shrinking ISR/;

export const FAULTS: Readonly<Record<string, Fault>> = {
  'a rolling restart': async (rig) => {
    let underWay = 0;
    for (const { id } of rig.brokers.nodes) {
      const node = rig.brokers.node(id);
      const before = node.pid;
      const leads = await ledBy(rig, id);
      const { partition } = await rig.freshUpload((each) => leads.includes(each));
      const stopped = node.kill('SIGTERM');
      await rig.led(partition, id);
      underWay += rig.uploadsUnderWay().length;
      await stopped;
      await rig.replicates(partition, id, false);
      await node.restart();
      expect(node.pid).not.toBe(before);
      await rig.inSync();
    }
    expect(underWay).toBeGreaterThan(0);
    await rig.load.accepts();
  },

  'leaders moved while the warehouse hangs': async (rig) => {
    const { brokers, cluster } = rig;
    await cluster.clickhouse.fault({ kind: 'hang', on: 'insert' });
    try {
      const { partition } = await rig.freshUpload();
      const leader = await brokers.leader(UPLOADS, partition);
      const held = brokers.node(leader).proxy.holdFetch(headerBytes('type', 'chunk'));
      await held.arrived;
      const before = Math.max(...syncsOf(rig).map(({ generation }) => generation));
      const rejoined = (): number =>
        new Set(
          syncsOf(rig)
            .filter(({ generation }) => generation > before)
            .map(({ member }) => member),
        ).size;
      // On a busy machine a move may take longer than an upload.
      let underWay = 0;
      for (const each of await brokers.partitions(UPLOADS)) {
        if (each.leader === leader) continue;
        await rig.freshUpload();
        const next = await brokers.moveLeader(UPLOADS, each.partitionId);
        expect(next).not.toBe(each.leader);
        underWay += rig.uploadsUnderWay().length;
        if (underWay > 0 && rejoined() >= INGEST_PROCESSES) break;
      }
      expect(underWay).toBeGreaterThan(0);
      await found(() => rejoined() >= INGEST_PROCESSES || undefined);
      held.release();
      await rig.load.accepts();
    } finally {
      await cluster.clickhouse.heal();
    }
  },

  'the leader of a partition killed': async (rig) => {
    const { partition, leader } = await freshlyLed(rig);
    await killed(rig, leader, async () => {
      rig.expectUploadsUnderWay((each) => each === partition);
      await rig.led(partition, leader);
    });
  },

  'a broker lost with its disk': async (rig) => {
    const { partition, leader } = await freshlyLed(rig);
    await killed(rig, leader, async () => {
      rig.expectUploadsUnderWay((each) => each === partition);
      await rig.led(partition, leader);
      await rig.brokers.node(leader).replaceDisk();
    });
    // It copies what the others have, and may lead again.
    await rig.replicates(partition, leader, true);
  },

  'the controller killed': async (rig) => {
    await rig.freshUpload();
    const controller = await rig.brokers.controller();
    await killed(rig, controller, async () => {
      rig.expectUploadsUnderWay();
      await found(async () => {
        const now = await rig.brokers.controller();
        return (now > 0 && now !== controller) || undefined;
      });
    });
  },

  'the coordinator of the group killed': async (rig) => {
    await rig.freshUpload();
    const coordinator = await rig.brokers.coordinator(GROUP);
    await killed(rig, coordinator, async () => {
      rig.expectUploadsUnderWay();
      await found(async () => {
        const now = await rig.brokers.coordinator(GROUP);
        return (now > 0 && now !== coordinator) || undefined;
      });
    });
  },

  'a broker stopped beyond its lag limit': async (rig) => {
    // On a busy machine the session of the stopped broker may end before its lag is noticed.
    for (let attempts = 1; !(await isStoppedBeyondLag(rig)); attempts++) {
      if (attempts === 5) throw new Error('its session ended each time before its lag was noticed');
    }
    await rig.load.accepts();
  },

  'two brokers away': async (rig) => {
    const { brokers, client } = rig;
    const { requestId } = await client.upload('cost', FILE);
    const { partition, leader } = await freshlyLed(rig);
    const left = brokers.nodes.find(({ id }) => id !== leader)!;
    const away = brokers.nodes.filter(({ id }) => id !== left.id);
    const { written } = left;
    await Promise.all(away.map((node) => node.kill()));
    rig.expectUploadsUnderWay((each) => each === partition);
    // One node of three has no majority, however often it asks for votes.
    await found(() => ASKS_FOR_VOTES.test(left.outputSince(written)) || undefined);
    const refused = await found(async () => {
      const answer = await client.post('cost', FILE);
      return answer.status === 503 ? answer : undefined;
    });
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    const read = await client.get('cost', requestId);
    expect(await read.json()).toMatchObject({ requestId, status: 'succeeded' });
    await Promise.all(away.map((node) => node.restart()));
    await rig.load.accepts();
  },
};

/**
 * Stops the leader of a partition with an upload under way until another broker has removed it from
 * its in-sync replicas. Returns whether its lag was the reason, and not the end of its session.
 */
async function isStoppedBeyondLag(rig: ThreeBrokers): Promise<boolean> {
  const { brokers } = rig;
  // Not the controller: while another is elected, the session ends before the lag is noticed. On a
  // busy machine, one broker may lead all partitions for a moment.
  const { partition, leader, follows } = await found(async () => {
    const controller = await brokers.controller();
    const partitions = await brokers.partitions(UPLOADS);
    const { partition } = await rig.freshUpload();
    const { leader } = partitions[partition]!;
    const follows = partitions.find((each) => each.leader !== leader);
    if (leader === controller || follows === undefined) return undefined;
    return { partition, leader, follows };
  });
  const node = brokers.node(leader);
  const followed = brokers.node(follows.leader);
  const { written } = followed;
  let hasLagged = false;
  node.signal('SIGSTOP');
  try {
    rig.expectUploadsUnderWay((each) => each === partition);
    await rig.replicates(follows.partitionId, leader, false);
    // A leader shrinks the ISR because of lag. The controller shrinks it when a session ends.
    hasLagged = SHRINKS.test(followed.outputSince(written));
    await rig.led(partition, leader);
    await rig.load.accepts();
  } finally {
    node.signal('SIGCONT');
  }
  await rig.replicates(partition, leader, true);
  return hasLagged;
}

/**
 * A fresh upload and the leader of its partition. The brokers are asked first: on a busy machine an
 * upload may end while they answer.
 */
async function freshlyLed(rig: ThreeBrokers): Promise<{ partition: number; leader: number }> {
  const partitions = await rig.brokers.partitions(UPLOADS);
  const { partition } = await rig.freshUpload();
  return { partition, leader: partitions[partition]!.leader };
}

/** Kills the node, and restarts it once uploads are accepted without it. */
async function killed(rig: ThreeBrokers, id: number, shows: () => Promise<void>): Promise<void> {
  const node = rig.brokers.node(id);
  await node.kill();
  await shows();
  await rig.load.accepts();
  await node.restart();
}

async function ledBy(rig: ThreeBrokers, id: number): Promise<number[]> {
  const partitions = await rig.brokers.partitions(UPLOADS);
  return partitions.filter(({ leader }) => leader === id).map(({ partitionId }) => partitionId);
}

const syncsOf = (rig: ThreeBrokers) =>
  rig.brokers.nodes.flatMap(({ proxy }) => proxy.syncs).filter(({ group }) => group === GROUP);
