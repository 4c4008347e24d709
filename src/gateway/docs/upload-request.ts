import { STATUSES, type UploadRequestRecord } from '../../status/transition.js';
import { objectOf, TIMESTAMP } from './schema.js';

/** The record of an upload request. */
export const UPLOAD_REQUEST = objectOf<UploadRequestRecord>({
  requestId: { type: 'string', format: 'uuid', description: 'A new one for every request.' },
  status: {
    type: 'string',
    enum: STATUSES,
    description:
      '`succeeded` is final, and so is `failed`, except perhaps after a replay by the operators.',
  },
  prevStatus: {
    type: ['string', 'null'],
    enum: [...STATUSES, null],
    description: 'The status before; null right after the creation.',
  },
  reason: {
    type: ['string', 'null'],
    description:
      'What is wrong with the file, when the status is `failed`; null otherwise. A JSON object as a ' +
      'string, from the name of a column to a list of messages; what is wrong with the file or a ' +
      'row as a whole stands under `file`.',
  },
  createdAt: { ...TIMESTAMP, description: 'When the request was created, in UTC.' },
  updatedAt: { ...TIMESTAMP, description: 'When its status was last changed, in UTC.' },
});

const REQUEST = {
  requestId: '01a1fbe9-8d12-7e37-8444-47b183ed8e35',
  createdAt: '2026-03-09T08:15:30',
};

export const UPLOADED: UploadRequestRecord = {
  ...REQUEST,
  status: 'uploaded',
  prevStatus: null,
  reason: null,
  updatedAt: REQUEST.createdAt,
};

export const SUCCEEDED: UploadRequestRecord = {
  ...REQUEST,
  status: 'succeeded',
  prevStatus: 'ingested',
  reason: null,
  updatedAt: '2026-03-09T08:15:31',
};

export const FAILED: UploadRequestRecord = {
  ...REQUEST,
  status: 'failed',
  prevStatus: 'uploaded',
  reason: '{"date":["row 2: \\"2026-13-01\\" is not a date of the form YYYY-MM-DD"]}',
  updatedAt: '2026-03-09T08:15:31',
};
