import { applyDecorators } from '@nestjs/common';
import { ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { Problem } from '../http/problem.js';
import { describedHeaders, RATE_LIMIT_HEADERS } from './headers.js';
import { ProblemDetails } from './problem-details.js';

export type NamedProblems = Readonly<Record<string, Problem>>;

/**
 * Answered before the account is known, or because of it: the rate limit has not counted the call.
 */
const NOT_COUNTED: ReadonlySet<number> = new Set([401, 403, 405]);

/** Describes the problems that an operation answers: an example of each, grouped by status. */
export function ApiProblems(problems: NamedProblems): MethodDecorator {
  const named = Object.entries(problems);
  const statuses = [...new Set(named.map(([, { status }]) => status))].sort((a, b) => a - b);
  return applyDecorators(
    ...statuses.map((status) => {
      return responseOf(
        status,
        named.filter(([, problem]) => problem.status === status),
      );
    }),
  );
}

function responseOf(status: number, named: readonly [string, Problem][]): MethodDecorator {
  const [, { title }] = named[0]!;
  const names = new Set(named.flatMap(([, { headers }]) => Object.keys(headers)));
  const headers = describedHeaders(names);
  for (const name of names) {
    const isAlways = named.every(([, problem]) => name in problem.headers);
    headers[name] = { ...headers[name]!, required: isAlways };
  }
  const examples = named.map(([name, { body }]) => [name, { summary: body.detail, value: body }]);
  return ApiResponse({
    status,
    description: title,
    headers: { ...headers, ...(!NOT_COUNTED.has(status) && RATE_LIMIT_HEADERS) },
    content: {
      'application/problem+json': {
        schema: { $ref: getSchemaPath(ProblemDetails) },
        examples: Object.fromEntries(examples) as Record<string, { summary: string }>,
      },
    },
  });
}
