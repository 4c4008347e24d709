import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { type Status, STATUSES, type UploadRequestRecord } from '../../status/transition.js';

export const TIMESTAMP: ApiPropertyOptions = {
  type: String,
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
};

/** The record as the document describes it; what is answered is the domain's. */
export class UploadRequest implements UploadRequestRecord {
  @ApiProperty({ type: String, format: 'uuid', description: 'A new one for every request.' })
  readonly requestId!: string;

  @ApiProperty({
    enum: STATUSES,
    type: String,
    description: '`succeeded` and `failed` are final.',
  })
  readonly status!: Status;

  @ApiProperty({
    enum: STATUSES,
    type: String,
    nullable: true,
    description: 'The status before; null right after the creation.',
  })
  readonly prevStatus!: Status | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'What is wrong with the file, when the status is `failed`; null otherwise. A JSON object as a ' +
      'string, from the name of a column to a list of messages; what is wrong with the file or a ' +
      'row as a whole stands under `file`.',
  })
  readonly reason!: string | null;

  @ApiProperty({ ...TIMESTAMP, description: 'When the request was created, in UTC.' })
  readonly createdAt!: string;

  @ApiProperty({ ...TIMESTAMP, description: 'When its status was last changed, in UTC.' })
  readonly updatedAt!: string;
}

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
