import type { ErasedUploads } from '../../domain/erased-uploads.js';
import { lastVersionAt } from '../../domain/version.js';
import { CONSUMER_GROUPS, type UploadLog } from '../../log/upload-log.js';
import { startApplier } from '../../log/record-applier.js';
import type { Component } from '../../ops/components.js';
import type { Logger } from '../../ops/logger.js';
import {
  blockOf,
  columnsOf,
  BOOL,
  DATE_TIME,
  STRING,
  UINT128,
} from '../../warehouse/native/block.js';
import { type NativeBlock, waitsForWarehouse, type Warehouse } from '../../warehouse/warehouse.js';
import { archivalOf, type MetricArchival } from './metric-archival.js';

/** Applies the archiving and restoring of metrics from the control topic to the catalogue. */
export function startArchivals(
  log: UploadLog,
  warehouse: Warehouse,
  erased: ErasedUploads,
  logger: Logger,
): Promise<Component> {
  return startApplier(log, {
    ...CONSUMER_GROUPS.metrics,
    isPassing: waitsForWarehouse('the metric catalogue waits for the warehouse', logger),
    async apply(records) {
      // Asked at every attempt: the account may be erased while the warehouse is away.
      const archivals = records
        .flatMap((record) => archivalOf(record) ?? [])
        .filter(({ account, changedAt }) => !erased.covers(account, lastVersionAt(changedAt)));
      if (archivals.length === 0) return;
      await warehouse.insert('metric_archivals', blockOfArchivals(archivals));
      logger.info({ archivals: archivals.length }, 'metric archivals applied');
    },
  });
}

function blockOfArchivals(archivals: readonly MetricArchival[]): NativeBlock {
  const of = columnsOf(archivals);
  return blockOf(
    [
      of('account', STRING, ({ account }) => account),
      of('name', STRING, ({ name }) => name),
      of('archived', BOOL, ({ archived }) => archived),
      of('changed_at', DATE_TIME, ({ changedAt }) => Math.floor(changedAt / 1000)),
      of('version', UINT128, ({ version }) => version),
    ],
    archivals.length,
  );
}
