import { CONSUMER_GROUPS, type UploadLog } from '../../log/upload-log.js';
import { RecordApplier } from '../../log/record-applier.js';
import { isPassing, type Warehouse } from '../../warehouse/warehouse.js';
import { auditEventOf } from './audit-event.js';
import { writeAudit } from './audit-table.js';

/** Keeps operators' actions; those of tokens come with the history of requests. */
export function startAuditor(log: UploadLog, warehouse: Warehouse): Promise<RecordApplier> {
  return RecordApplier.start(log, {
    topic: 'control',
    group: CONSUMER_GROUPS.audit.group,
    isPassing,
    apply: (records) =>
      writeAudit(
        warehouse,
        records.flatMap((record) => auditEventOf(record) ?? []),
      ),
  });
}
