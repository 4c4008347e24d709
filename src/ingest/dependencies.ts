import type { ErasedUploads } from '../domain/erased-uploads.js';
import type { Config } from '../config/config.js';
import type { UploadLog } from '../log/upload-log.js';
import type { Logger } from '../ops/logger.js';
import type { PublishedUpload, TransitionPublisher } from '../status/publisher.js';
import type { RowStore } from '../warehouse/row-store.js';
import type { Unprepared } from './prepare/preparation.js';
import type { ValidUpload } from './upload-in-flight.js';

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
  readonly aside: Aside;
  /** Aborted: nothing is waited for any more. */
  readonly signal: AbortSignal;
}

/** For uploads that may wait for hours. Other uploads use their memory and place meanwhile. */
export interface Aside {
  /** Gives up what the upload holds. Call it also after an attempt that has stored nothing. */
  leave(upload: ValidUpload): void;

  /** Prepares the upload again, for one attempt. Resolves with why it cannot be prepared any more. */
  prepareAgain(upload: ValidUpload): Promise<Unprepared | undefined>;

  /**
   * They wait for the warehouse or the log: until the process ends, none of them is blamed for its
   * end.
   */
  waits(uploads: readonly PublishedUpload[]): void;

  /** Takes an upload that cannot be prepared to its final status. */
  fail(upload: ValidUpload, unprepared: Unprepared): Promise<void>;
}
