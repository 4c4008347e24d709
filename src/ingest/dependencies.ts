import type { ErasureFence } from '../domain/erasure-fence.js';
import type { Config } from '../config/config.js';
import type { UploadLog } from '../log/upload-log.js';
import type { Logger } from '../ops/logger.js';
import type { RowStore } from '../warehouse/row-store.js';

/** What ingest needs of the rest of the service. */
export interface IngestDependencies {
  readonly config: Config;
  readonly log: UploadLog;
  readonly rows: RowStore;
  readonly fence: ErasureFence;
  readonly logger: Logger;
}
