import { statfs } from 'node:fs/promises';
import type { AppDependencies } from '../app.module.js';
import { ConsumerLagGauges } from '../log/consumer-lag.js';
import { CONSUMER_GROUPS } from '../log/upload-log.js';
import { diskFree, diskSize, registry } from '../ops/metrics.js';
import { createOpsServer, type OpsServer } from '../ops/ops-server.js';
import { ObjectiveGauges } from '../status/objectives.js';
import { RequestTotalsGauges } from '../status/request-totals.js';
import type { ViewProgress } from '../status/view-progress.js';

export interface ObservedService extends Pick<
  AppDependencies,
  'config' | 'logger' | 'log' | 'warehouse' | 'requests'
> {
  readonly phase: () => 'starting' | 'running' | 'stopping';
  /** Undefined: no gateway, or not yet. */
  readonly viewProgress: () => ViewProgress | undefined;
}

/** What operators see of the service: health, and what is measured when the metrics are asked for. */
export function createServiceOps(service: ObservedService): OpsServer {
  const { config, logger, log, warehouse, requests } = service;
  const { dataDir, roles } = config;
  const isRunning = async (): Promise<void> => {
    const phase = service.phase();
    if (phase !== 'running') throw new Error(`the service is ${phase}`);
    await Promise.resolve();
  };
  const logAnswers = async (): Promise<void> => {
    await log.endOffsets('uploads');
  };
  const warehouseAnswers = async (): Promise<void> => {
    await warehouse.query('SELECT 1 AS one');
  };
  const viewMoves = async (): Promise<void> => {
    await service.viewProgress()?.check();
  };
  const lag = new ConsumerLagGauges(log, Object.values(CONSUMER_GROUPS));
  const totals = new RequestTotalsGauges(requests);
  const objectives = new ObjectiveGauges(requests);
  // A gateway takes uploads while the warehouse is away. If a log outage made gateways not ready, all
  // would leave the load balancer at once and no client would get its 503 with Retry-After.
  const readiness = roles.has('gateway')
    ? {
        readiness: { service: isRunning, status: viewMoves },
        reportedOnly: { log: logAnswers },
      }
    : { readiness: { service: isRunning, log: logAnswers, warehouse: warehouseAnswers } };
  return createOpsServer({
    registry,
    ...readiness,
    logger,
    measurements: {
      lag: () => lag.measure(),
      disk: () => measureDisk(dataDir),
      ...(roles.has('status') && {
        history: async () => {
          // The embedded engine runs one query at a time: both would take longer than a scrape waits.
          // With a minute or more between scrapes, the objectives are due in each of them.
          if (totals.isOverdue || !objectives.isDueAgain) await totals.measure();
        },
        objectives: () => objectives.measure(),
      }),
    },
  });
}

/** Sets the gauges of the file system that holds the folder. */
async function measureDisk(folder: string): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  diskFree.set(bavail * bsize);
  diskSize.set(blocks * bsize);
}
