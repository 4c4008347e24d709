import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';

import { TokenFile } from './accounts/token-file.js';
import { AUDIT_GROUP, startAuditor } from './audit/auditor.js';
import { CATALOGUE_GROUP, startArchivals } from './catalogue/archival-writer.js';
import { type Config, ROLES } from './config/config.js';
import type { AcceptanceFence } from './domain/requests/request-lookup.js';
import { VersionClock } from './domain/version.js';
import { ErasedAccounts, ERASURE_GROUP } from './erasure/erased-accounts.js';
import { startEraser } from './erasure/eraser.js';
import { lookupWithoutErased } from './erasure/lookup-without-erased.js';
import { RetentionGuard } from './gateway/create/retention-guard.js';
import { type Infrastructure, openInfrastructure } from './infrastructure.js';
import { Ingest, INGEST_GROUP } from './ingest/ingest.js';
import { ConsumerLagGauges } from './log/consumer-lag.js';
import { measureDisk } from './ops/disk-space.js';
import type { Logger } from './ops/logger.js';
import { processInfo, registry } from './ops/metrics.js';
import { startTracing } from './ops/tracing.js';
import { createOpsServer } from './ops/ops-server.js';
import { HISTORY_GROUP, HistoryWriter } from './status/history-writer.js';
import { RequestHistory } from './status/history.js';
import { RequestTotalsGauges } from './status/request-totals.js';
import { RequestReader } from './status/request-reader.js';
import { StatusTail } from './status/status-tail.js';
import { StatusView } from './status/status-view.js';
import type { RowStore } from './warehouse/row-store.js';
import { SqlRowStore } from './warehouse/rows/sql-row-store.js';

/** For the requests that are answered from memory; the history answers for older ones. */
const STATUS_VIEW_BYTES = 64 * 1024 * 1024;
/** The query interface shows every account and asks for no password. */
const QUERY_HOST = '127.0.0.1';

/** What ingest has for a clean end when the gateway has used up the time of the stop. */
const LAST_CHANCE_MS = 1_000;

/** Where the service can be reached; undefined: not by this process. */
export interface ServicePorts {
  api?: number;
  ops?: number;
  query?: number;
}

/**
 * The service as the configuration asks for it: the composition of its roles. What was started
 * last stops first.
 */
export class Service {
  readonly ports: ServicePorts = {};
  private readonly stops: (() => Promise<void>)[] = [];
  private readonly failures: Promise<never>[] = [];
  private phase: 'starting' | 'running' | 'stopping' = 'starting';
  private stopDeadline = 0;
  private readonly rows: RowStore;
  private erased!: ErasedAccounts;

  private constructor(
    private readonly config: Config,
    private readonly logger: Logger,
    private readonly infrastructure: Infrastructure,
  ) {
    this.rows = new SqlRowStore(infrastructure.warehouse, config.clickhouseDatabase);
  }

  /**
   * Resolves when every port answers; until then the ops port says that the service is live and not
   * ready. Rejects, with everything closed, when something cannot start, or when `signal` ends the
   * wait for it.
   */
  static async start(config: Config, logger: Logger, signal: AbortSignal): Promise<Service> {
    const infrastructure = await openInfrastructure(config, logger);
    const service = new Service(config, logger, infrastructure);
    try {
      if (config.tracesUrl !== undefined) service.stops.push(await startTracing(config.tracesUrl));
      await service.startOps();
      await infrastructure.ready(signal);
      await service.followErasures();
      if (config.roles.has('status')) await service.startStatus();
      if (config.roles.has('ingest')) await service.startIngest();
      if (config.queryPort !== undefined) await service.startQuery(config.queryPort);
      if (config.roles.has('gateway')) await service.startGateway();
      signal.throwIfAborted();
      service.phase = 'running';
      processInfo.set({ roles: ROLES.filter((role) => config.roles.has(role)).join(',') }, 1);
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  /** Rejects when a role, or the log, cannot go on. The process is to end: its successor replays from the log. */
  failed(): Promise<never> {
    return Promise.race([this.infrastructure.failed, ...this.failures]);
  }

  /** Refuses new uploads, finishes those in flight within the deadline, commits, closes. Idempotent. */
  async stop(): Promise<void> {
    this.phase = 'stopping';
    processInfo.reset();
    this.stopDeadline = Date.now() + this.config.limits.shutdownMs;
    for (let stop = this.stops.pop(); stop !== undefined; stop = this.stops.pop()) {
      try {
        await stop();
      } catch (error) {
        this.logger.error({ err: error }, 'a part of the service did not stop cleanly');
      }
    }
    await this.infrastructure.close();
  }

  private async startOps(): Promise<void> {
    const { log, warehouse } = this.infrastructure;
    const groups = [
      { topic: 'uploads', group: INGEST_GROUP },
      { topic: 'status', group: HISTORY_GROUP },
      { topic: 'control', group: CATALOGUE_GROUP },
      { topic: 'control', group: AUDIT_GROUP },
      { topic: 'control', group: ERASURE_GROUP },
    ] as const;
    const isRunning = async (): Promise<void> => {
      if (this.phase !== 'running') throw new Error(`the service is ${this.phase}`);
      await Promise.resolve();
    };
    const logAnswers = async (): Promise<void> => {
      await log.endOffsets('uploads');
    };
    const warehouseAnswers = async (): Promise<void> => {
      await warehouse.query('SELECT 1 AS one');
    };
    const { dataDir, roles } = this.config;
    const lag = new ConsumerLagGauges(log, groups);
    const totals = roles.has('status') ? new RequestTotalsGauges(this.history()) : undefined;
    // A gateway takes uploads while the warehouse is away. While the log is, all gateways would be
    // sent nothing at once, and clients find nobody who tells them to come again.
    const readiness = roles.has('gateway')
      ? { readiness: { service: isRunning }, told: { log: logAnswers } }
      : { readiness: { service: isRunning, log: logAnswers, warehouse: warehouseAnswers } };
    const ops = createOpsServer({
      registry,
      ...readiness,
      logger: this.logger,
      measurements: {
        lag: () => lag.measure(),
        disk: () => measureDisk(dataDir),
        ...(totals !== undefined && { history: () => totals.measure() }),
      },
    });
    this.stops.push(() => ops.close());
    this.ports.ops = await ops.listen(this.config.opsPort, this.config.http.host);
  }

  private async followErasures(): Promise<void> {
    const { log } = this.infrastructure;
    const erased = await ErasedAccounts.follow(log, this.rows, this.config.limits.logTimeoutMs);
    this.stops.push(() => erased.stop());
    this.erased = erased;
  }

  private async startStatus(): Promise<void> {
    const { log, warehouse } = this.infrastructure;
    const { config, logger, erased: fence } = this;
    const history = this.history();
    this.run(await HistoryWriter.start({ log, history, warehouse, fence, logger }));
    this.run(await startArchivals(log, warehouse, logger));
    this.run(await startAuditor(log, warehouse));
    const database = config.clickhouseDatabase;
    const cluster = config.clickhouse?.cluster;
    const statementMs = config.clickhouse?.timeoutMs ?? 0;
    const { rows } = this;
    this.run(await startEraser({ log, rows, warehouse, database, cluster, statementMs, logger }));
  }

  private run(part: { readonly failed: Promise<never>; stop(): Promise<void> }): void {
    this.stops.push(() => part.stop());
    this.failures.push(part.failed);
  }

  private async startIngest(): Promise<void> {
    const { log } = this.infrastructure;
    const { config, logger, rows, erased: fence } = this;
    const ingest = await Ingest.start({ config, log, rows, fence, logger });
    // The gateway has stopped before and used its part of the time.
    this.stops.push(() => ingest.stop(Math.max(LAST_CHANCE_MS, this.stopDeadline - Date.now())));
    this.failures.push(ingest.failed);
  }

  private async startQuery(port: number): Promise<void> {
    const { config, logger } = this;
    const { chdbFolder } = await import('./warehouse/chdb/chdb-warehouse.js');
    const { createQueryServer } = await import('./query/server.js');
    const server = createQueryServer({
      path: chdbFolder(config.dataDir),
      database: config.clickhouseDatabase,
      limits: config.limits,
      logger,
    });
    this.stops.push(() => server.close());
    this.ports.query = await server.listen(port, QUERY_HOST);
  }

  private async startGateway(): Promise<void> {
    const { log } = this.infrastructure;
    const { config, logger, erased } = this;
    const history = this.history();
    const clock = new VersionClock(Date.now, () => randomBytes(8).readBigUInt64LE());
    const view = new StatusView(STATUS_VIEW_BYTES);
    const tail = await StatusTail.start(log, view, clock);
    this.stops.push(() => tail.stop());
    const reader = new RequestReader(view, tail, history, config.limits.logTimeoutMs);
    // No version is given before every version given earlier is known.
    await reader.caughtUp();
    const written = await history.highestVersion();
    clock.observe(written);
    view.mayLack(written.toString());
    const fence = await this.acceptanceFence(reader);
    const lookup = lookupWithoutErased(reader, erased);
    const tokens = await TokenFile.open(config.tokensFile, logger);
    this.stops.push(async () => {
      tokens.close();
      await Promise.resolve();
    });
    // Nest is half of what a process loads at its start, and only a gateway needs it.
    const { createApi } = await import('./gateway/api.js');
    const api = await createApi({ log, tokens, lookup, fence, erased, clock, config, logger });
    this.stops.push(() => api.close());
    await api.listen(config.http.port, config.http.host);
    this.ports.api = (api.getHttpServer().address() as AddressInfo).port;
  }

  /** Kafka deletes by age, the embedded log only what is finished. */
  private async acceptanceFence(reader: RequestReader): Promise<AcceptanceFence> {
    const { config, logger } = this;
    if (config.kafka === undefined) return reader;
    const { log } = this.infrastructure;
    const retentionMs = config.limits.logRetentionMs;
    const guard = await RetentionGuard.start(
      { log, topic: 'uploads', group: INGEST_GROUP, retentionMs, logger },
      reader,
    );
    this.stops.push(async () => {
      guard.stop();
      await Promise.resolve();
    });
    return guard;
  }

  private history(): RequestHistory {
    return new RequestHistory(this.rows);
  }
}
