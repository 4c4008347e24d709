import type { Transition } from './transition.js';
import {
  type LogRecord,
  type RecordToAppend,
  CONSUMER_GROUPS,
  type UploadLog,
} from '../log/upload-log.js';
import type { Component } from '../ops/components.js';
import type { Logger } from '../ops/logger.js';
import { blockOf, columnsOf, DATE_TIME_MS, STRING } from '../warehouse/native/block.js';
import { type Warehouse, waitsForWarehouse } from '../warehouse/warehouse.js';
import { startApplier } from '../log/record-applier.js';

export type AuditedAction =
  | 'upload'
  | 'archive-metric'
  | 'restore-metric'
  | 'retry-dead-letter'
  | 'replay-request'
  | 'replay-from'
  | 'erase-account'
  | 'create-token'
  | 'revoke-token';

/** Who did what to what, and when. Never a value of a file. */
export interface AuditEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** A token's id, or `operator:` and the name of the user who ran the command. */
  readonly actor: string;
  readonly action: AuditedAction;
  /** Empty: all accounts. */
  readonly account: string;
  /** The target: a request's id, a metric's name, a token's id, a time. */
  readonly subject: string;
}

/** An event that no other record tells of, as a record of the control topic. */
export function auditRecord({ at, ...event }: AuditEvent): RecordToAppend {
  return {
    key: event.account,
    headers: { type: 'audit' },
    value: Buffer.from(JSON.stringify({ ...event, at: new Date(at).toISOString() })),
  };
}

/** The action that a control record tells of; undefined when it is nobody's action. */
export function auditEventOf({ headers, value }: LogRecord): AuditEvent | undefined {
  const { type } = headers;
  if (type !== 'audit' && type !== 'metric-archival' && type !== 'account-erasure')
    return undefined;
  const order = JSON.parse(value.toString('utf8')) as {
    at: string;
    account: string;
    actor: string;
    action?: AuditedAction;
    subject?: string;
    /** Of a metric. */
    name?: string;
  };
  const { account, actor, action = 'erase-account' } = order;
  return {
    at: Date.parse(order.at),
    actor,
    action,
    account,
    subject: order.subject ?? order.name ?? account,
  };
}

/** Who made a request; undefined for transitions that do not tell. */
export function auditEventOfRequest(transition: Transition): AuditEvent | undefined {
  const { requestId, account, createdAt, actor } = transition;
  if (actor === undefined) return undefined;
  return {
    at: Date.parse(`${createdAt}Z`),
    actor,
    action: 'upload',
    account,
    subject: requestId,
  };
}

/** Writes events into their table. An event that is there already stays one row. */
export async function writeAudit(
  warehouse: Warehouse,
  events: readonly AuditEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const of = columnsOf(events);
  const columns = [
    of('account', STRING, ({ account }) => account),
    of('action', STRING, ({ action }) => action),
    of('subject', STRING, ({ subject }) => subject),
    of('actor', STRING, ({ actor }) => actor),
    of('at', DATE_TIME_MS, ({ at }) => at),
  ];
  await warehouse.insert('audit_events', blockOf(columns, events.length));
}

/** Keeps operators' actions. Those of tokens come with the history of requests. */
export function startAuditor(
  log: UploadLog,
  warehouse: Warehouse,
  logger: Logger,
): Promise<Component> {
  return startApplier(log, {
    ...CONSUMER_GROUPS.audit,
    isPassing: waitsForWarehouse('the audit waits for the warehouse', logger),
    apply: (records) =>
      writeAudit(
        warehouse,
        records.flatMap((record) => auditEventOf(record) ?? []),
      ),
  });
}
