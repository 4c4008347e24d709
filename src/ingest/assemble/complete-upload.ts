import type { FamilyName } from '../../domain/families/index.js';
import type { UploadEnd } from '../../domain/upload-records.js';

/** An upload whose end has been read. */
export interface CompleteUpload {
  readonly requestId: string;
  readonly account: string;
  readonly family: FamilyName;
  readonly end: UploadEnd;
  readonly partition: number;
  /** The offset of its `end` record. */
  readonly endOffset: number;
  /** The trace of the request that brought it. */
  readonly traceparent: string | undefined;
  /**
   * The file, in parts that follow one another, each in a buffer of its own; undefined when its chunks
   * are no longer in the log.
   */
  readonly parts: readonly Uint8Array<ArrayBuffer>[] | undefined;
}
