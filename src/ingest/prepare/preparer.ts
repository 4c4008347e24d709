import type { PreparedUpload, Verdict } from '../../csv/prepared-upload.js';
import type { PrepareTask } from './prepare-worker.js';

/** A file to prepare. */
export type PrepareWork = Omit<PrepareTask, 'memory'>;

/** Parses, validates, groups and encodes uploads, several at a time. */
export interface Preparer {
  /** How many at a time. */
  readonly threads: number;

  /**
   * The file's parts may move elsewhere, and are lost with an exception. Rejects when preparing them
   * throws.
   */
  run(work: PrepareWork): Promise<Verdict>;

  /** To be called when the upload's columns are no longer needed: the next one's are written over them. */
  release(upload: PreparedUpload): void;

  close(): Promise<void>;
}
