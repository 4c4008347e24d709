import { ApiResponse, type ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';
import type { UploadRequestRecord } from '../../status/transition.js';
import { describedHeaders, type Headers, RATE_LIMIT_HEADERS } from './headers.js';
import { UploadRequest } from './upload-request.js';

/** Describes an answer with the upload request's record. */
export function ApiRecord(
  answer: Pick<ApiResponseOptions, 'links'> & {
    readonly status: number;
    readonly description: string;
    readonly headers?: Headers;
    readonly examples: Readonly<Record<string, UploadRequestRecord>>;
  },
): MethodDecorator {
  const { status, description, links, headers } = answer;
  const examples = Object.entries(answer.examples).map(([name, value]) => [name, { value }]);
  return ApiResponse({
    status,
    description,
    ...(links !== undefined && { links }),
    headers: { ...describedHeaders(['Cache-Control']), ...headers, ...RATE_LIMIT_HEADERS },
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(UploadRequest) },
        examples: Object.fromEntries(examples) as Record<string, { value: UploadRequestRecord }>,
      },
    },
  });
}
