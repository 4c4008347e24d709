import { randomBytes } from 'node:crypto';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import kafkajs, { type Admin, type PartitionMetadata } from 'kafkajs';

import { freePorts } from '../machine/free-ports.js';
import { prepareBrokers } from './kafka-broker.js';
import { KafkaProxy } from './kafka-proxy.js';
import { KafkaNode } from './node.js';
import { until } from '../until.js';

const POLL_MS = 50;
/** A node stopped by SIGSTOP accepts connections but answers nothing. */
const REQUEST_MS = 3_000;

/** A combined broker and controller, and the proxy between it and its clients. */
export class ClusterNode extends KafkaNode {
  internalPort = 0;
  proxy!: KafkaProxy;

  constructor(
    readonly id: number,
    port: number,
    dir: string,
  ) {
    super(port, dir);
  }

  /** Gives the node, which is down, an empty disk. */
  async replaceDisk(): Promise<void> {
    await rm(this.data, { recursive: true });
    await this.format();
  }

  /** The active controller that the node has recorded; -1: none. */
  async quorumState(): Promise<{ readonly leaderId: number; readonly leaderEpoch: number }> {
    const text = await readFile(join(this.data, '__cluster_metadata-0', 'quorum-state'), 'utf8');
    return JSON.parse(text) as { leaderId: number; leaderEpoch: number };
  }
}

/**
 * A real cluster with Kafka's own defaults: every node is a broker and a controller. Clients reach
 * each node through a proxy. The nodes among themselves, and the methods here, connect directly.
 */
export class KafkaCluster {
  private constructor(readonly nodes: readonly ClusterNode[]) {}

  /** @param properties settings of every node besides those that form the cluster */
  static async start(
    count = 3,
    properties: Readonly<Record<string, string>> = {},
  ): Promise<KafkaCluster> {
    await prepareBrokers();
    const ports = await freePorts(3 * count);
    const nodes: ClusterNode[] = [];
    const voters = Array.from({ length: count }, (_, i) => `${i + 1}@127.0.0.1:${ports[3 * i]}`);
    for (const [i, voter] of voters.entries()) {
      const node = new ClusterNode(i + 1, ports[3 * i + 1]!, await KafkaNode.folder());
      node.internalPort = ports[3 * i + 2]!;
      node.proxy = await KafkaProxy.listen();
      node.proxy.forwardTo(node.port);
      const [, controller] = voter.split('@') as [string, string];
      const internal = `INTERNAL://127.0.0.1:${node.internalPort}`;
      await node.configure({
        'process.roles': 'broker,controller',
        'node.id': `${node.id}`,
        'controller.quorum.voters': voters.join(','),
        listeners: `CLIENT://${node.address},CONTROLLER://${controller},${internal}`,
        'advertised.listeners': `CLIENT://127.0.0.1:${node.proxy.port},${internal}`,
        'listener.security.protocol.map':
          'CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT',
        'inter.broker.listener.name': 'INTERNAL',
        'controller.listener.names': 'CONTROLLER',
        // How long a new group waits for members: the only default that costs every test seconds.
        'group.initial.rebalance.delay.ms': '0',
        ...properties,
      });
      nodes.push(node);
    }
    const cluster = new KafkaCluster(nodes);
    try {
      await formatAll(nodes);
      await Promise.all(nodes.map((node) => node.restart()));
      await cluster.admin((admin) =>
        until(async () => (await admin.describeCluster()).brokers.length === count, POLL_MS),
      );
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The addresses for clients: the proxies. */
  get brokers(): string[] {
    return this.nodes.map(({ proxy }) => `127.0.0.1:${proxy.port}`);
  }

  node(id: number): ClusterNode {
    return this.nodes[id - 1]!;
  }

  /** Runs `work` with an admin client that bypasses the proxies and the nodes that are down. */
  async admin<T>(work: (admin: Admin) => Promise<T>, retries = 20): Promise<T> {
    const admin = new kafkajs.Kafka({
      brokers: this.nodes
        .filter(({ isUp }) => isUp)
        .map(({ internalPort }) => `127.0.0.1:${internalPort}`),
      requestTimeout: REQUEST_MS,
      logLevel: kafkajs.logLevel.NOTHING,
      retry: { retries, maxRetryTime: 1_000 },
    }).admin();
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }

  /** The leader of the partition; -1 while there is none. */
  async leader(topic: string, partition: number): Promise<number> {
    return (await this.partitions(topic))[partition]!.leader;
  }

  /** The metadata of every partition of the topic. Retries until a broker answers. */
  async partitions(topic: string): Promise<PartitionMetadata[]> {
    for (;;) {
      try {
        const { topics } = await this.admin((admin) => {
          return admin.fetchTopicMetadata({ topics: [topic] });
        }, 0);
        return topics[0]!.partitions.sort((a, b) => a.partitionId - b.partitionId);
      } catch {
        await sleep(POLL_MS);
      }
    }
  }

  /** Moves the leader cleanly. Resolves with the new leader's id when all replicas are in sync. */
  async moveLeader(topic: string, partition: number): Promise<number> {
    return this.admin(async (admin) => {
      const { leader, replicas } = await metadata(admin, topic, partition);
      const others = replicas.filter((id) => id !== leader);
      const rest = others.length > 0 ? others : [(leader % this.nodes.length) + 1];
      // A node that is no longer a replica cannot lead.
      await assign(admin, topic, partition, rest);
      if (others.length > 0) await assign(admin, topic, partition, [...rest, leader]);
      return (await metadata(admin, topic, partition)).leader;
    });
  }

  /** Puts the partition on these nodes. Resolves when they are all of its replicas, and in sync. */
  async assign(topic: string, partition: number, replicas: readonly number[]): Promise<void> {
    await this.admin((admin) => assign(admin, topic, partition, replicas));
  }

  /** Gives each node the same number of partitions to prefer. Leaders follow within seconds. */
  async spreadLeaders(topic: string): Promise<void> {
    const count = this.nodes.length;
    const partitionAssignment = (await this.partitions(topic))
      .map(({ partitionId, replicas }) => {
        const wanted = replicas.map((_, i) => 1 + ((partitionId + i) % count));
        return { partition: partitionId, replicas: wanted, isThere: wanted[0] === replicas[0] };
      })
      .filter(({ isThere }) => !isThere)
      .map(({ partition, replicas }) => ({ partition, replicas }));
    if (partitionAssignment.length === 0) return;
    await this.admin((admin) =>
      admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment }] }),
    );
  }

  /** The coordinator of the group. The group must have had a member. */
  async coordinator(group: string): Promise<number> {
    const partitions = await this.partitions('__consumer_offsets');
    let hash = 0;
    for (let i = 0; i < group.length; i++) hash = (Math.imul(31, hash) + group.charCodeAt(i)) | 0;
    return partitions[(hash & 0x7fffffff) % partitions.length]!.leader;
  }

  /** The active controller, as the nodes have recorded it. */
  async controller(): Promise<number> {
    const states = await Promise.all(this.nodes.map((node) => node.quorumState()));
    states.sort((a, b) => b.leaderEpoch - a.leaderEpoch || b.leaderId - a.leaderId);
    return states[0]!.leaderId;
  }

  /** Resolves when every replica of the topics is in sync, so that the next node may go down. */
  async inSync(topics: string[]): Promise<void> {
    await this.admin((admin) =>
      until(async () => {
        const now = await admin.fetchTopicMetadata({ topics });
        return now.topics
          .flatMap(({ partitions }) => partitions)
          .every(({ isr, replicas }) => isr.length === replicas.length);
      }, POLL_MS),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await Promise.all(this.nodes.map(({ proxy }) => proxy.close()));
  }
}

/** Formats one node, which takes a second. The others get a copy of its storage with their ids. */
async function formatAll([first, ...others]: readonly ClusterNode[]): Promise<void> {
  await first!.format();
  for (const { id, data } of others) {
    await cp(first!.data, data, { recursive: true });
    const file = join(data, 'meta.properties');
    const text = await readFile(file, 'utf8');
    const directory = randomBytes(16).toString('base64url').replace(/^-/, 'A');
    await writeFile(
      file,
      text
        .replace(/^node\.id=.*$/m, `node.id=${id}`)
        .replace(/^directory\.id=.*$/m, `directory.id=${directory}`),
    );
  }
}

async function metadata(
  admin: Admin,
  topic: string,
  partition: number,
): Promise<PartitionMetadata> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  return topics[0]!.partitions.find(({ partitionId }) => partitionId === partition)!;
}

async function assign(
  admin: Admin,
  topic: string,
  partition: number,
  replicas: readonly number[],
): Promise<void> {
  const partitionAssignment = [{ partition, replicas: [...replicas] }];
  await admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment }] });
  await until(async () => {
    const now = await metadata(admin, topic, partition);
    const isThere = (ids: readonly number[]): boolean =>
      ids.length === replicas.length && replicas.every((id) => ids.includes(id));
    return isThere(now.replicas) && isThere(now.isr);
  }, POLL_MS);
}
