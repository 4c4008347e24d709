import type { Problem, ProblemBody } from '../http/problem.js';
import { objectOf, ref, type Schema } from './schema.js';

type Headers = Readonly<Record<string, object>>;
/** The answers of an operation by status. */
type Answers = Readonly<Record<number, object>>;

/** The body of a problem (RFC 9457). */
export const PROBLEM_DETAILS = objectOf<ProblemBody>({
  type: {
    type: 'string',
    enum: ['about:blank'],
    description: 'No problem has a type of its own: the status tells what it is.',
  },
  title: { type: 'string', description: 'The name of the status.' },
  status: { type: 'integer', minimum: 400, maximum: 599, description: "The answer's." },
  detail: { type: 'string', description: 'What is wrong and what to do, for a person to read.' },
});

/**
 * Answered before the account is known, or because of it: the rate limit has not counted the call.
 */
const NOT_COUNTED: ReadonlySet<number> = new Set([401, 403, 405]);

/** On every answer to a call that a rate limit counts, if the operators have set one. */
const RATE_LIMIT_HEADERS: Headers = {
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

/** What the other headers mean, by their names. */
const HEADERS: Readonly<Record<string, { description: string; schema?: Schema }>> = {
  'Accept-Encoding': { description: 'The codings that are taken: none.' },
  Allow: { description: 'The methods that this path takes.' },
  'Cache-Control': { description: '`no-store`: the record changes.' },
  Connection: { description: '`close`: the rest of the body is not read.' },
  Location: {
    description: 'Where the request is read.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the call is sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': { description: 'The scheme word of the header `Authorization`.' },
};

/**
 * Describes a header.
 *
 * @param required whether each answer has it
 * @throws Error when there is no description of it
 */
export function header(name: string, required = true): Headers {
  const described = HEADERS[name];
  if (described === undefined) throw new Error(`the header ${name} is not described`);
  return { [name]: { required, schema: { type: 'string' }, ...described } };
}

/** Describes an answer that is not a problem, by the name of its schema. */
export function answer(
  schema: string,
  {
    examples,
    headers,
    ...rest
  }: {
    readonly description: string;
    readonly headers?: Headers;
    readonly links?: object;
    readonly examples: Readonly<Record<string, object>>;
  },
): object {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }] as const);
  return {
    ...rest,
    headers: { ...header('Cache-Control'), ...headers, ...RATE_LIMIT_HEADERS },
    content: contentOf('application/json', schema, named),
  };
}

/** Describes the problems that an operation answers: an example of each, grouped by status. */
export function problemAnswers(problems: Readonly<Record<string, Problem>>): Answers {
  const named = Object.entries(problems);
  const statuses = new Set(named.map(([, { status }]) => status));
  return Object.fromEntries(
    [...statuses].map((status) => {
      return [status, problemAnswer(named.filter(([, problem]) => problem.status === status))];
    }),
  );
}

function problemAnswer(named: readonly [string, Problem][]): object {
  const [, { status, title }] = named[0]!;
  const headers: Record<string, object> = {};
  for (const name of new Set(named.flatMap(([, problem]) => Object.keys(problem.headers)))) {
    const isAlways = named.every(([, problem]) => name in problem.headers);
    Object.assign(headers, header(name, isAlways));
  }
  if (!NOT_COUNTED.has(status)) Object.assign(headers, RATE_LIMIT_HEADERS);
  const examples = named.map(([name, { body }]) => {
    return [name, { summary: body.detail, value: body }] as const;
  });
  return {
    description: title,
    headers,
    content: contentOf('application/problem+json', 'ProblemDetails', examples),
  };
}

function contentOf(
  type: string,
  schema: string,
  examples: readonly (readonly [string, object])[],
): object {
  return { [type]: { schema: ref(schema), examples: Object.fromEntries(examples) } };
}
