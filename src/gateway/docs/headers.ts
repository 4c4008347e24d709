import type { ApiResponseOptions } from '@nestjs/swagger';

export type Headers = NonNullable<ApiResponseOptions['headers']>;

const text = (description: string): Headers[string] => ({
  description,
  required: true,
  schema: { type: 'string' },
});

/** What the headers of answers mean, by their names. */
const DESCRIBED: Headers = {
  'Accept-Encoding': text('The codings that are taken: none.'),
  Allow: text('The methods that this path takes.'),
  'Cache-Control': text('`no-store`: the record changes.'),
  Connection: text('`close`: the rest of the body is not read.'),
  Location: {
    ...text('Where the request is read.'),
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Retry-After': {
    ...text('Seconds to wait before the call is sent again.'),
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': text('The scheme word of the header `Authorization`.'),
};

/** @throws Error when there is no description of one of them */
export function describedHeaders(names: Iterable<string>): Headers {
  return Object.fromEntries(
    [...names].map((name) => {
      const header = DESCRIBED[name];
      if (header === undefined) throw new Error(`the header ${name} is not described`);
      return [name, header];
    }),
  );
}

/** On every answer to a call that a rate limit counts, if the operators have set one. */
export const RATE_LIMIT_HEADERS: Headers = {
  'RateLimit-Policy': {
    description:
      'How many calls (`q`) of an account are taken in so many seconds (`w`), if limited.',
    schema: { type: 'string' },
    example: '"uploads";q=60;w=60',
  },
  RateLimit: {
    description: 'How many calls are left (`r`), and in how many seconds there is one more (`t`).',
    schema: { type: 'string' },
    example: '"uploads";r=59;t=1',
  },
};
