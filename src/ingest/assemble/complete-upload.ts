import type { UploadInLog } from '../../log/uploads/upload-records.js';

/** An upload whose end has been read. */
export interface CompleteUpload extends UploadInLog {
  /** The trace of the request. */
  readonly traceparent: string | undefined;
  /**
   * The file, in parts that follow one another, each in a buffer of its own; undefined when its chunks
   * are no longer in the log.
   */
  readonly parts: readonly Uint8Array<ArrayBuffer>[] | undefined;
}
