import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@jest/globals';

import { CONSUMER_GROUPS } from '../../../src/log/upload-log.js';
import { ApiClient } from './api-client.js';
import { Cluster } from './cluster.js';
import { KafkaCluster } from '../kafka/kafka-cluster.js';
import { KafkaLogs } from '../kafka/kafka.js';
import { UploadsUnderWay, type UploadUnderWay } from '../kafka/uploads-under-way.js';
import { Load } from './load.js';
import { type ServiceProcess, tokenFor } from './service-process.js';

const PREFIX = 'custom-data.';
export const UPLOADS = `${PREFIX}uploads`;
const TOPICS = ['uploads', 'status', 'dead-letter', 'control', 'claims'].map(
  (name) => PREFIX + name,
);
export const GROUP = PREFIX + CONSUMER_GROUPS.ingest.group;
const PARTITIONS = 6;
const ROLES = ['gateway', 'ingest', 'ingest', 'status'] as const;
export const INGEST_PROCESSES = ROLES.filter((role) => role === 'ingest').length;
/** Far below the session timeout: a silent broker first falls behind, and then counts as dead. */
const LAG_LIMIT_MS = 3_000;
/** Begins with the last heartbeat, up to half a second before the broker falls silent. */
const SESSION_MS = 8_500;
const HEARTBEAT_MS = 500;
const CLIENTS = 6;
/** Each file has three chunks. The first is there after a third of the time. */
const FILES = { rows: 1_600, largeEach: 1, overMs: 2_200, pauseMs: 100 };
/** Shorter than a test's time limit, so that a failure shows what it waits for. */
const FOUND_MS = 200_000;
const ANSWER_MS = 5_000;
/** Maximum age of the first chunk of a fresh upload. */
const FRESH_MS = 500;

/** The whole service on three brokers, with helpers for tests. */
export class ThreeBrokers {
  readonly underWay = new UploadsUnderWay();
  private number = 0;
  load!: Load;
  private isUnderLoad = false;

  private constructor(
    readonly cluster: Cluster<KafkaCluster>,
    private readonly processes: readonly ServiceProcess[],
    private readonly logs: KafkaLogs,
    readonly client: ApiClient,
  ) {}

  static async start(): Promise<ThreeBrokers> {
    const brokers = await KafkaCluster.start(3, {
      'replica.lag.time.max.ms': `${LAG_LIMIT_MS}`,
      'broker.session.timeout.ms': `${SESSION_MS}`,
      'broker.heartbeat.interval.ms': `${HEARTBEAT_MS}`,
      // Leadership soon returns to a restarted broker, so that every broker has some to lose.
      'leader.imbalance.check.interval.seconds': '1',
      'leader.imbalance.per.broker.percentage': '0',
    });
    const cluster = await Cluster.on(brokers, {
      KAFKA_REPLICATION_FACTOR: '3',
      KAFKA_PARTITIONS: `${PARTITIONS}`,
      // Uncompressed, so that a proxy finds the records to hold back.
      KAFKA_COMPRESSION: 'none',
      CLICKHOUSE_TIMEOUT_SECONDS: '5',
      // Appends that are lost with a broker then soon fail, and are sent again.
      LOG_TIMEOUT_SECONDS: '10',
    });
    const token = await tokenFor(cluster.sharedDir, 'asking');
    const processes = await Promise.all(ROLES.map((role) => cluster.start(role)));
    // Bypasses the proxies: they must hold back only what the service sends.
    const addresses = brokers.nodes.map(({ internalPort }) => `127.0.0.1:${internalPort}`);
    const logs = new KafkaLogs(() => addresses);
    const client = new ApiClient(() => processes[0]!.ports.api, token);
    const rig = new ThreeBrokers(cluster, processes, logs, client);
    const log = await logs.open({ prefix: PREFIX, partitions: PARTITIONS, replicationFactor: 3 });
    await log.tail('uploads', [], rig.underWay.take);
    return rig;
  }

  get brokers(): KafkaCluster {
    return this.cluster.broker;
  }

  async stop(): Promise<void> {
    // Closed first, because the tail would ask brokers that are gone.
    await this.logs.cleanUp();
    await this.cluster.close();
  }

  /**
   * Clients upload while `fault` runs. The service must recover by itself, and in the end
   * everything must match the model. A failure leaves its load behind, so no other fault may
   * follow.
   */
  async underLoad(fault: (rig: ThreeBrokers) => Promise<void>): Promise<void> {
    if (this.isUnderLoad) throw new Error('the fault before has not ended');
    this.isUnderLoad = true;
    await this.balanced();
    this.load = await Load.create({
      clients: CLIENTS,
      accounts: `run-${this.number++}`,
      dataDir: this.cluster.sharedDir,
      port: () => this.processes[0]!.ports.api,
      files: FILES,
    });
    this.load.start();
    await this.load.atLeast(1);
    await fault(this);
    await this.inSync();
    await this.load.stop();
    await this.load.expectAllAsModelled(this.cluster, this.processes.at(-1)!);
    for (const { process } of this.processes) {
      expect([process.exitCode, process.signalCode]).toEqual([null, null]);
    }
    this.isUnderLoad = false;
  }

  /** The state of the brokers and the processes, for error messages. */
  async lastWords(): Promise<string> {
    // Each for itself: a topic with a partition without a leader has no answer.
    const partitionsOf = async (topic: string): Promise<string[]> => {
      const partitions = await Promise.race([
        this.brokers.partitions(topic),
        sleep(ANSWER_MS, undefined),
      ]);
      if (partitions === undefined) return [`${topic}: the brokers do not answer`];
      return partitions.map(
        ({ partitionId, leader, isr }) =>
          `${topic}/${partitionId}: led by ${leader}, in sync ${isr.join(' ')}`,
      );
    };
    const brokers = await Promise.all(TOPICS.map(partitionsOf));
    return [...brokers.flat(), await this.cluster.lastWords()].join('\n');
  }

  /** Resolves when every replica of every partition is in sync. */
  inSync(): Promise<void> {
    return this.brokers.inSync(['__consumer_offsets', ...TOPICS]);
  }

  /** Resolves when all replicas are in sync and each broker leads as many partitions. */
  private async balanced(): Promise<void> {
    await this.inSync();
    // A fault that moves leaders also changes which broker a partition prefers.
    await this.brokers.spreadLeaders(UPLOADS);
    await found(
      async () =>
        (await this.brokers.partitions(UPLOADS)).every(
          ({ leader, replicas }) => leader === replicas[0],
        ) || undefined,
    );
  }

  /** An upload whose first chunk the brokers have just appended, in a wanted partition. */
  async freshUpload(
    isWanted: (partition: number) => boolean = () => true,
  ): Promise<UploadUnderWay> {
    return found(() =>
      this.underWay
        .of(this.load)
        .find(({ partition, firstAt }) => isWanted(partition) && Date.now() - firstAt < FRESH_MS),
    );
  }

  /** Call this when the fault has visibly struck. */
  expectUploadsUnderWay(isWanted: (partition: number) => boolean = () => true): void {
    expect(this.uploadsUnderWay().filter(({ partition }) => isWanted(partition))).not.toEqual([]);
  }

  /** Those between their first chunk and their answer. */
  uploadsUnderWay(): UploadUnderWay[] {
    return this.underWay.of(this.load);
  }

  /** Resolves with the leader once a node other than `notBy` leads the partition. */
  async led(partition: number, notBy: number): Promise<number> {
    return found(async () => {
      const leader = await this.brokers.leader(UPLOADS, partition);
      return leader > 0 && leader !== notBy ? leader : undefined;
    });
  }

  /** Resolves when the node is, or is not, one of the partition's in-sync replicas. */
  async replicates(partition: number, id: number, isInSync: boolean): Promise<void> {
    await found(async () => {
      const { isr } = (await this.brokers.partitions(UPLOADS))[partition]!;
      return isr.includes(id) === isInSync || undefined;
    });
  }
}

/** Polls until there is an answer. The stack of the error shows what had none. */
export async function found<T>(ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + FOUND_MS; ;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`no answer in time to ${ask.toString()}`);
    await sleep(50);
  }
}
