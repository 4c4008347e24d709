import { Failure } from '../domain/failure.js';
import { retrying } from '../domain/retry.js';
import type { Consumption, LogRecord, RecordHandler, UploadLog } from '../log/upload-log.js';
import type { Logger } from '../ops/logger.js';
import { blockOf, column } from '../warehouse/native/block.js';
import { BOOL, DATE_TIME, STRING, UINT128 } from '../warehouse/native/column-types.js';
import type { NativeBlock, Warehouse } from '../warehouse/warehouse.js';
import { WarehouseError } from '../warehouse/warehouse.js';
import { archivalOf, type MetricArchival } from './metric-archival.js';

/** The consumer group that applies what operators say of metrics. */
export const CATALOGUE_GROUP = 'metric-catalogue';

/** Applies the archiving and restoring of metrics from the control topic to the catalogue. */
export class ArchivalWriter implements RecordHandler {
  private readonly failure = new Failure();
  private readonly aborting = new AbortController();
  private consumption: Consumption | undefined;

  static async start(
    log: UploadLog,
    warehouse: Warehouse,
    logger: Logger,
  ): Promise<ArchivalWriter> {
    const writer = new ArchivalWriter(warehouse, logger);
    writer.consumption = await log.consume('control', CATALOGUE_GROUP, writer);
    writer.consumption.failed.catch(writer.failure.report);
    return writer;
  }

  private constructor(
    private readonly warehouse: Warehouse,
    private readonly logger: Logger,
  ) {}

  /** Rejects when it cannot go on: the process is to end, and the next one reads again. */
  get failed(): Promise<never> {
    return this.failure.promise;
  }

  assigned(): void {
    // Every record is committed as soon as it is applied: there is no state to begin.
  }

  revoked(): void {
    // See `assigned`.
  }

  async records(partition: number, records: readonly LogRecord[]): Promise<void> {
    const archivals = records.flatMap((record) => {
      const archival = archivalOf(record);
      return archival === undefined ? [] : [archival];
    });
    if (archivals.length > 0) {
      await retrying(
        () => this.warehouse.insert('metric_archivals', blockOfArchivals(archivals)),
        (error) => error instanceof WarehouseError && error.failure !== 'rejected',
        this.aborting.signal,
      );
      this.logger.info({ archivals: archivals.length }, 'metric archivals applied');
    }
    await this.consumption?.commit(partition, records[records.length - 1]!.offset + 1);
  }

  async stop(): Promise<void> {
    this.aborting.abort();
    await this.consumption?.stop();
  }
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
