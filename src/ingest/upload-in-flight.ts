import type { PreparedUpload } from '../csv/verdict.js';
import { type RowCounts, type Transition, uploaded } from '../status/transition.js';
import type { ErasedUploads } from '../domain/erased-uploads.js';
import { beginSpan, type Span, SpanKind } from '../ops/tracing.js';
import type { UploadInLog } from '../log/uploads/upload-records.js';
import type { InsertSize } from '../warehouse/row-store.js';
import type { OwnedPartition } from './watermark/owned-partition.js';

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

/** A complete upload on its way through preparation, batch and warehouse. */
export interface UploadInFlight extends CompleteUpload {
  readonly version: bigint;
  /** Seconds since the epoch: the request's creation. */
  readonly uploadedAt: number;
  /** The partition whose watermark it holds. */
  readonly owned: OwnedPartition;
  /** From the reading of its end to its last transition. */
  readonly span: Span;
  /** The latest transition published. */
  transition: Transition;
  /** How many rows have come how far. */
  rows: RowCounts;
  /** Its rows as columns; undefined before its file is found valid. */
  prepared: PreparedUpload | undefined;
}

/** An upload whose file is valid. */
export type ValidUpload = UploadInFlight & { prepared: PreparedUpload };

/** An upload in its batch, and the promise of what becomes of it. */
export interface BatchItem {
  readonly upload: ValidUpload;
  /** With nothing: its status is final. Else with what it needs: the warehouse lacks the memory. */
  readonly resolve: (short?: InsertSize) => void;
  readonly reject: (error: unknown) => void;
}

/** Whether the upload is to be dropped because its account has been erased. */
export function isErased(erased: ErasedUploads, { account, version }: UploadInFlight): boolean {
  return erased.covers(account, version);
}

export function uploadInFlight(upload: CompleteUpload, owned: OwnedPartition): UploadInFlight {
  const { requestId, account, family, end, traceparent } = upload;
  const { version, bytes, actor } = end;
  const accepted = { requestId, account, family, version, sentMax: version, bytes, actor };
  return {
    version: BigInt(version),
    uploadedAt: Math.floor(end.acceptedAt / 1000),
    owned,
    span: beginSpan('process', SpanKind.CONSUMER, traceparent, { requestId, family }),
    transition: uploaded(accepted, end.acceptedAt),
    rows: { validated: 0, stored: 0, readBack: 0 },
    prepared: undefined,
    ...upload,
  };
}
