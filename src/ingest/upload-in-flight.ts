import { type RowCounts, timestampOf, type Transition } from '../domain/requests/transition.js';
import type { CompleteUpload } from './assemble/complete-upload.js';
import type { OwnedPartition } from './commit/owned-partition.js';

/** A complete upload on its way through preparation, batch and warehouse. */
export interface UploadInFlight {
  readonly requestId: string;
  readonly account: string;
  readonly upload: CompleteUpload;
  readonly version: bigint;
  /** Seconds since the epoch: the request's creation. */
  readonly uploadedAt: number;
  readonly partition: OwnedPartition;
  /** The latest transition published. */
  transition: Transition;
  /** How many rows have come how far. */
  rows: RowCounts;
}

export function uploadInFlight(upload: CompleteUpload, partition: OwnedPartition): UploadInFlight {
  const { requestId, account, family, end } = upload;
  const createdAt = timestampOf(end.acceptedAt);
  return {
    requestId,
    account,
    upload,
    version: BigInt(end.version),
    uploadedAt: Math.floor(end.acceptedAt / 1000),
    partition,
    transition: {
      requestId,
      account,
      family,
      status: 'uploaded',
      prevStatus: null,
      reason: null,
      createdAt,
      updatedAt: createdAt,
      version: end.version,
      sentMax: end.version,
    },
    rows: { validated: 0, stored: 0, readBack: 0 },
  };
}
