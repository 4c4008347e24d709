import { CONSUMER_GROUPS, type UploadLog } from '../../log/upload-log.js';
import { RecordApplier } from '../../log/record-applier.js';
import type { Logger } from '../../ops/logger.js';
import { blockOf, column, BOOL, DATE_TIME, STRING, UINT128 } from '../../warehouse/native/block.js';
import { type NativeBlock, waitsForWarehouse, type Warehouse } from '../../warehouse/warehouse.js';
import { archivalOf, type MetricArchival } from './metric-archival.js';

/** Applies the archiving and restoring of metrics from the control topic to the catalogue. */
export function startArchivals(
  log: UploadLog,
  warehouse: Warehouse,
  logger: Logger,
): Promise<RecordApplier> {
  return RecordApplier.start(log, {
    topic: 'control',
    group: CONSUMER_GROUPS.metrics.group,
    isPassing: waitsForWarehouse('the metric catalogue waits for the warehouse', logger),
    async apply(records) {
      const archivals = records.flatMap((record) => archivalOf(record) ?? []);
      if (archivals.length === 0) return;
      await warehouse.insert('metric_archivals', blockOfArchivals(archivals));
      logger.info({ archivals: archivals.length }, 'metric archivals applied');
    },
  });
}

function blockOfArchivals(archivals: readonly MetricArchival[]): NativeBlock {
  const of = <T>(value: (archival: MetricArchival) => T): T[] => archivals.map(value);
  return blockOf(
    [
      column(
        'account',
        STRING,
        of(({ account }) => account),
      ),
      column(
        'name',
        STRING,
        of(({ name }) => name),
      ),
      column(
        'archived',
        BOOL,
        of(({ archived }) => archived),
      ),
      column(
        'changed_at',
        DATE_TIME,
        of(({ changedAt }) => Math.floor(changedAt / 1000)),
      ),
      column(
        'version',
        UINT128,
        of(({ version }) => version),
      ),
    ],
    archivals.length,
  );
}
