import type { ErasureFence } from '../domain/erasure-fence.js';
import type { Config } from '../config/config.js';
import type { UploadLog } from '../log/upload-log.js';
import type { Logger } from '../ops/logger.js';
import type { Warehouse } from '../warehouse/warehouse.js';

/** What ingest needs of the rest of the service. */
export interface IngestDependencies {
  readonly config: Config;
  readonly log: UploadLog;
  readonly warehouse: Warehouse;
  readonly fence: ErasureFence;
  readonly logger: Logger;
}
