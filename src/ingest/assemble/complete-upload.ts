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
  /** The whole file; undefined when its chunks are no longer in the log. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
}
