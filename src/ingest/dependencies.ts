import type { ErasedUploads } from '../domain/erased-uploads.js';
import type { Config } from '../config/config.js';
import type { UploadLog } from '../log/upload-log.js';
import type { Logger } from '../ops/logger.js';
import type { PublishedUpload, TransitionPublisher } from '../status/publisher.js';
import type { RowStore } from '../warehouse/row-store.js';

/** What ingest needs of the rest of the service. */
export interface IngestDependencies {
  readonly config: Config;
  readonly log: UploadLog;
  readonly rows: RowStore;
  readonly erased: ErasedUploads;
  readonly logger: Logger;
}

/** What the steps of an upload's processing share. */
export interface StepDependencies extends Omit<IngestDependencies, 'config'> {
  readonly publisher: TransitionPublisher;
  /**
   * The uploads wait for the warehouse or the log: until the process ends, none of them is blamed
   * for its end.
   */
  readonly waits: (uploads: readonly PublishedUpload[]) => void;
  /** Aborted: nothing is waited for any more. */
  readonly signal: AbortSignal;
}
