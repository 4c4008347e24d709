import type { LogRecord, RecordToAppend } from '../../log/upload-log.js';

/** An operator's order about a self-serve metric: whether reports show it. */
export interface MetricArchival {
  readonly account: string;
  readonly name: string;
  readonly archived: boolean;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** The later order about a metric has the higher version. */
  readonly version: bigint;
}

/** The JSON in a control record. The audit reads who ordered it, and when. */
interface ArchivalOrder {
  readonly action: 'archive-metric' | 'restore-metric';
  readonly account: string;
  readonly name: string;
  /** `operator:` and a name. */
  readonly actor: string;
  /** As ISO 8601 has it, in UTC. */
  readonly at: string;
}

export function archivalRecord(order: ArchivalOrder): RecordToAppend {
  return {
    key: `${order.account}/${order.name}`,
    headers: { type: 'metric-archival' },
    value: Buffer.from(JSON.stringify(order)),
  };
}

/** A control record's order about a metric; undefined for records about something else. */
export function archivalOf(record: LogRecord): MetricArchival | undefined {
  if (record.headers['type'] !== 'metric-archival') return undefined;
  const { action, account, name } = JSON.parse(record.value.toString('utf8')) as ArchivalOrder;
  return {
    account,
    name,
    archived: action === 'archive-metric',
    changedAt: record.timestamp,
    version: (BigInt(record.timestamp) << 64n) | BigInt(record.offset),
  };
}
