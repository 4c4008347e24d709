import { RecordApplier } from '../log/record-applier.js';
import type { UploadLog } from '../log/upload-log.js';
import { isPassing, type Warehouse } from '../warehouse/warehouse.js';
import { auditEventOf } from './audit-event.js';
import { writeAudit } from './audit-table.js';

/** The consumer group that writes what operators did into the table of events. */
export const AUDIT_GROUP = 'audit';

/** Keeps operators' actions; those of tokens come with the history of requests. */
export function startAuditor(log: UploadLog, warehouse: Warehouse): Promise<RecordApplier> {
  return RecordApplier.start(log, {
    topic: 'control',
    group: AUDIT_GROUP,
    isPassing,
    apply: (records) =>
      writeAudit(
        warehouse,
        records.flatMap((record) => auditEventOf(record) ?? []),
      ),
  });
}
