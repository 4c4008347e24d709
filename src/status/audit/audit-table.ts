import { blockOf, column } from '../../warehouse/native/block.js';
import { DATE_TIME_MS, STRING } from '../../warehouse/native/column-types.js';
import type { Warehouse } from '../../warehouse/warehouse.js';
import type { AuditEvent } from './audit-event.js';

/** Writes events into the table of them; an event that is there already stays one row. */
export async function writeAudit(
  warehouse: Warehouse,
  events: readonly AuditEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const texts = (['account', 'action', 'subject', 'actor'] as const).map((name) =>
    column(
      name,
      STRING,
      events.map((event) => event[name]),
    ),
  );
  const at = column(
    'at',
    DATE_TIME_MS,
    events.map((event) => event.at),
  );
  await warehouse.insert('audit_events', blockOf([...texts, at], events.length));
}
