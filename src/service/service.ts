import { CONSUMER_GROUPS } from '../log/upload-log.js';
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';

import { TokenFile } from '../accounts/token-file.js';
import { startAuditor } from '../status/audit/auditor.js';
import { startArchivals } from '../operator/metrics/archival-writer.js';
import { type Config, ROLES } from '../config/config.js';
import type { AcceptanceFence } from '../domain/requests/request-lookup.js';
import { VersionClock } from '../domain/version.js';
import { ErasedAccounts } from '../operator/erasure/erased-accounts.js';
import { startEraser } from '../operator/erasure/eraser.js';
import { lookupWithoutErased } from '../operator/erasure/lookup-without-erased.js';
import { RetentionGuard } from '../gateway/create/retention-guard.js';
import { answered, type Infrastructure, openInfrastructure } from './adapters.js';
import { Ingest } from '../ingest/ingest.js';
import { ConsumerLagGauges } from '../log/consumer-lag.js';
import { measureDisk } from '../ops/disk-space.js';
import type { Logger } from '../ops/logger.js';
import { processInfo, registry } from '../ops/metrics.js';
import { startTracing } from '../ops/tracing.js';
import { createOpsServer } from '../ops/ops-server.js';
import { Parts } from './parts.js';
import { HistoryWriter } from '../status/history-writer.js';
import { RequestHistory } from '../status/history.js';
import { RequestTotalsGauges } from '../status/request-totals.js';
import { RequestReader } from '../status/request-reader.js';
import { StatusTail } from '../status/status-tail.js';
import { StatusView } from '../status/status-view.js';
import { ViewProgress } from '../status/view-progress.js';
import type { RowStore } from '../warehouse/row-store.js';
import { SqlRowStore } from '../warehouse/rows/sql-row-store.js';

/** For the requests that are answered from memory; the history answers for older ones. */
const STATUS_VIEW_BYTES = 64 * 1024 * 1024;
/** The query interface shows every account and asks for no password. */
const QUERY_HOST = '127.0.0.1';

/** What the parts have for a clean end when the gateway has used up the time of the stop. */
const LAST_CHANCE_MS = 1_000;

/** Where the service can be reached; undefined: not by this process. */
export interface ServicePorts {
  api?: number;
  ops?: number;
  query?: number;
}

/** The service as the configuration asks for it: the composition of its roles. */
export class Service {
  readonly ports: ServicePorts = {};
  private readonly parts: Parts;
  private phase: 'starting' | 'running' | 'stopping' = 'starting';
  private stopDeadline = Infinity;
  private infrastructure!: Infrastructure;
  private rows!: RowStore;
  private erased!: ErasedAccounts;
  private viewProgress: ViewProgress | undefined;

  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
  ) {
    this.parts = new Parts(logger);
  }

  /**
   * Resolves when every port answers; until then the ops port says that the service is live and not
   * ready. Waits for what does not answer. Rejects when something cannot start, or when `signal` ends
   * the wait; to be stopped then as well.
   *
   * @throws ConfigError, KafkaSetupError, NewerSchemaError for what answers and refuses
   */
  async start(signal: AbortSignal): Promise<void> {
    const { config, parts } = this;
    this.infrastructure = await openInfrastructure(config, this.logger);
    this.rows = new SqlRowStore(this.infrastructure.warehouse, config.clickhouseDatabase);
    parts.add({ failed: this.infrastructure.failed, stop: () => undefined });
    if (config.tracesUrl !== undefined) parts.add({ stop: await startTracing(config.tracesUrl) });
    await this.startOps();
    await this.infrastructure.ready(signal);
    await this.followErasures(signal);
    if (config.roles.has('status')) await this.startStatus();
    if (config.roles.has('ingest')) await this.startIngest();
    if (config.queryPort !== undefined) await this.startQuery(config.queryPort);
    if (config.roles.has('gateway')) await this.startGateway(signal);
    signal.throwIfAborted();
    this.phase = 'running';
    processInfo.set({ roles: ROLES.filter((role) => config.roles.has(role)).join(',') }, 1);
  }

  /** Rejects when a part cannot go on. The process is to end: its successor replays from the log. */
  get failed(): Promise<never> {
    return this.parts.failed;
  }

  /**
   * Refuses new uploads, finishes those in flight within SHUTDOWN_SECONDS, commits, and closes the log
   * and the warehouse, for which it waits: the threads of an engine that does not close would keep the
   * process from its end as well.
   */
  async stop(): Promise<void> {
    this.phase = 'stopping';
    processInfo.reset();
    this.stopDeadline = performance.now() + this.config.limits.shutdownMs;
    // Twice: once for the gateway, whose connections it has cut by then, once for ingest.
    await this.parts.stop(this.stopDeadline + 2 * LAST_CHANCE_MS);
    await (this.infrastructure as Infrastructure | undefined)?.close();
  }

  private async startOps(): Promise<void> {
    const { log, warehouse } = this.infrastructure;
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
    const lag = new ConsumerLagGauges(log, Object.values(CONSUMER_GROUPS));
    const totals = roles.has('status') ? new RequestTotalsGauges(this.history()) : undefined;
    const viewMoves = async (): Promise<void> => {
      await this.viewProgress?.check();
    };
    // A gateway takes uploads while the warehouse is away. While the log is, all gateways would be
    // sent nothing at once, and clients find nobody who tells them to come again.
    const readiness = roles.has('gateway')
      ? { readiness: { service: isRunning, status: viewMoves }, told: { log: logAnswers } }
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
    this.parts.add({ stop: () => ops.close() });
    this.ports.ops = await ops.listen(this.config.opsPort, this.config.http.host);
  }

  private async followErasures(signal: AbortSignal): Promise<void> {
    const { log } = this.infrastructure;
    const { config, logger, rows } = this;
    this.erased = await answered(logger, signal, () =>
      ErasedAccounts.follow(log, rows, config.limits.logTimeoutMs),
    );
    this.parts.add(this.erased);
  }

  private async startStatus(): Promise<void> {
    const { log, warehouse } = this.infrastructure;
    const { config, logger, erased: fence } = this;
    const history = this.history();
    this.parts.add(await HistoryWriter.start({ log, history, warehouse, fence, logger }));
    this.parts.add(await startArchivals(log, warehouse, logger));
    this.parts.add(await startAuditor(log, warehouse));
    const database = config.clickhouseDatabase;
    const cluster = config.clickhouse?.cluster;
    const statementMs = config.clickhouse?.timeoutMs ?? 0;
    const { rows } = this;
    this.parts.add(
      await startEraser({ log, rows, warehouse, database, cluster, statementMs, logger }),
    );
  }

  private async startIngest(): Promise<void> {
    const { log } = this.infrastructure;
    const { config, logger, rows, erased: fence } = this;
    const ingest = await Ingest.start({ config, log, rows, fence, logger });
    // The gateway has stopped before and used its part of the time.
    const stop = (): Promise<void> =>
      ingest.stop(Math.max(LAST_CHANCE_MS, this.stopDeadline - performance.now()));
    this.parts.add({ failed: ingest.failed, stop });
  }

  private async startQuery(port: number): Promise<void> {
    const { config, logger } = this;
    const { chdbFolder } = await import('../warehouse/chdb/chdb-warehouse.js');
    const { createQueryServer } = await import('../query/server.js');
    const server = createQueryServer({
      path: chdbFolder(config.dataDir),
      database: config.clickhouseDatabase,
      limits: config.limits,
      logger,
    });
    this.parts.add({ stop: () => server.close() });
    this.ports.query = await server.listen(port, QUERY_HOST);
  }

  private async startGateway(signal: AbortSignal): Promise<void> {
    const { log } = this.infrastructure;
    const { config, logger, erased } = this;
    const history = this.history();
    const clock = new VersionClock(Date.now, () => randomBytes(8).readBigUInt64LE());
    const view = new StatusView(STATUS_VIEW_BYTES);
    const tail = await answered(logger, signal, () => StatusTail.start(log, view, clock));
    this.parts.add(tail);
    this.viewProgress = new ViewProgress(log, tail, config.limits.viewStalledMs);
    const reader = new RequestReader(view, tail, history, config.limits.logTimeoutMs);
    // No version is given before every version given earlier is known.
    await answered(logger, signal, () => reader.caughtUp());
    const written = await answered(logger, signal, () => history.highestVersion());
    clock.observe(written);
    view.mayLack(written.toString());
    const fence = await this.acceptanceFence(reader);
    const lookup = lookupWithoutErased(reader, erased);
    const tokens = await TokenFile.open(config.tokensFile, logger);
    this.parts.add({
      stop: () => {
        tokens.close();
      },
    });
    // Nest is half of what a process loads at its start, and only a gateway needs it.
    const { createApi, failureOf } = await import('../gateway/api.js');
    const api = await createApi({ log, tokens, lookup, fence, erased, clock, config, logger });
    this.parts.add({ failed: failureOf(api), stop: () => api.close() });
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
      { log, topic: 'uploads', group: CONSUMER_GROUPS.ingest.group, retentionMs, logger },
      reader,
    );
    this.parts.add(guard);
    return guard;
  }

  private history(): RequestHistory {
    return new RequestHistory(this.rows);
  }
}
