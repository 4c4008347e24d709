import type { AddressInfo } from 'node:net';

import type { DynamicModule } from '@nestjs/common';

import { AppModule } from '../app.module.js';
import { type Config, ROLES } from '../config/config.js';
import type { GatewayDependencies } from '../gateway/dependencies.js';
import type { Logger } from '../ops/logger.js';
import { processInfo } from '../ops/metrics.js';
import { startTracing } from '../ops/tracing.js';
import { Components } from '../ops/components.js';
import { ErasedAccounts } from '../operator/erasure/erased-accounts.js';
import type { ViewProgress } from '../status/view-progress.js';
import { SqlRequestStore } from '../status/sql-request-store.js';
import { SqlRowStore } from '../warehouse/rows/sql-row-store.js';
import { type Adapters, answered, openAdapters } from './adapters.js';
import { startGatewayDependencies } from './gateway-dependencies.js';
import { ensureHistoryOutlives } from './history-outlives-log.js';
import { createServiceOps } from './service-ops.js';

/** What the components get for a clean stop when the gateway has used up the time. */
const LAST_CHANCE_MS = 1_000;

/** Where the service can be reached; undefined: not by this process. */
export interface ServicePorts {
  api?: number;
  ops?: number;
  query?: number;
}

/** The service as the configuration asks for it: start and stop of its roles, in order. */
export class Service {
  readonly ports: ServicePorts = {};
  private readonly components: Components;
  private phase: 'starting' | 'running' | 'stopping' = 'starting';
  private stopDeadline = Infinity;
  private adapters: Adapters | undefined;
  private viewProgress: ViewProgress | undefined;

  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
  ) {
    this.components = new Components(logger);
  }

  /**
   * Resolves when every port answers. Until then the ops port says that the service is live and not
   * ready. Waits for what does not answer. Rejects when something cannot start, or when `signal`
   * ends the wait; call `stop` then as well.
   *
   * @throws ConfigError for what answers and refuses
   */
  async start(signal: AbortSignal): Promise<void> {
    const { config, logger, components } = this;
    const { roles, limits } = config;
    const ask = <T>(question: () => Promise<T>): Promise<T> => answered(logger, signal, question);
    // 1. The log and the warehouse, behind their ports.
    const adapters = await openAdapters(config, logger);
    this.adapters = adapters;
    const { log, warehouse } = adapters;
    const rows = new SqlRowStore(warehouse, config.clickhouseDatabase);
    const requests = new SqlRequestStore(warehouse, config.clickhouseDatabase);
    components.add({ failed: adapters.failed, stop: () => undefined });
    // 2. Health and metrics, which answer while the rest still waits.
    if (config.tracesUrl !== undefined) {
      components.add({ stop: await startTracing(config.tracesUrl) });
    }
    const ops = createServiceOps({
      ...{ config, logger, log, warehouse, requests },
      phase: () => this.phase,
      viewProgress: () => this.viewProgress,
    });
    components.add({ stop: () => ops.close() });
    this.ports.ops = await ops.listen(config.opsPort, config.http.host);
    await adapters.ready(signal);
    const { historyRetentionMs } = limits;
    if (historyRetentionMs !== undefined && config.kafka !== undefined) {
      await ask(() => ensureHistoryOutlives(log, historyRetentionMs));
    }
    // 3. What every role asks: which accounts have been erased.
    const erased = await ask(() => ErasedAccounts.follow(log, rows, limits.logTimeoutMs));
    components.add(erased);
    // 4. What the gateway knows of requests.
    const shared = { config, logger, log, warehouse, rows, requests, erased, components };
    const gateway = roles.has('gateway') ? await startGatewayDependencies(shared, ask) : undefined;
    this.viewProgress = gateway?.viewProgress;
    // 5. The roles.
    const root = await AppModule.register({
      ...shared,
      gateway,
      // The gateway has stopped before and used its part of the time.
      stopMs: () => Math.max(LAST_CHANCE_MS, this.stopDeadline - performance.now()),
      queryListening: (port) => {
        this.ports.query = port;
      },
    });
    if (gateway === undefined) await this.startWithoutHttp(root);
    else await this.startWithHttp(root, gateway);
    signal.throwIfAborted();
    this.phase = 'running';
    processInfo.set({ roles: ROLES.filter((role) => roles.has(role)).join(',') }, 1);
  }

  /**
   * Rejects when a component cannot go on. The process is to end: its successor replays from the
   * log.
   */
  get failed(): Promise<never> {
    return this.components.failed;
  }

  /**
   * Refuses new uploads, finishes those in flight within SHUTDOWN_SECONDS, commits, and closes the
   * log and the warehouse. It waits for both: the threads of an open engine would keep the process
   * from ending.
   */
  async stop(): Promise<void> {
    this.phase = 'stopping';
    processInfo.reset();
    this.stopDeadline = performance.now() + this.config.limits.shutdownMs;
    // Twice: once for the gateway, whose connections it has cut by then, once for ingest.
    await this.components.stop(this.stopDeadline + 2 * LAST_CHANCE_MS);
    await this.adapters?.close();
  }

  private async startWithoutHttp(root: DynamicModule): Promise<void> {
    const { NestFactory } = await import('@nestjs/core');
    const { NestLog } = await import('../ops/nest-log.js');
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares these options as a class and takes plain objects
    const app = await NestFactory.createApplicationContext(root, {
      abortOnError: false,
      logger: new NestLog(this.logger),
    });
    this.components.add({ stop: () => app.close() });
  }

  private async startWithHttp(root: DynamicModule, gateway: GatewayDependencies): Promise<void> {
    const { createApi, failureOf } = await import('../gateway/api.js');
    const api = await createApi(root, gateway);
    await api.init();
    // Added last: it is the first to stop.
    this.components.add({ failed: failureOf(api), stop: () => api.close() });
    const { host, port } = this.config.http;
    await api.listen(port, host);
    this.ports.api = (api.getHttpServer().address() as AddressInfo).port;
  }
}
