import type { Type } from '@nestjs/common';
import { ApiResponse, type ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';
import { describedHeaders, type Headers, RATE_LIMIT_HEADERS } from './headers.js';

/** Describes an answer that is not a problem, by the class of what it holds. */
export function ApiAnswer(
  model: Type,
  answer: Pick<ApiResponseOptions, 'links'> & {
    readonly status: number;
    readonly description: string;
    readonly headers?: Headers;
    readonly examples: Readonly<Record<string, object>>;
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
        schema: { $ref: getSchemaPath(model) },
        examples: Object.fromEntries(examples) as Record<string, { value: object }>,
      },
    },
  });
}
