import { expect } from '@jest/globals';
import { OWNER } from './gateway.js';

export const BOUNDARY = 'xBOUNDARYx';

/** The headers that a well-behaved client sends with a create. */
export function uploadHeaders(token = OWNER): Record<string, string> {
  return {
    Authorization: `SERVICE-API-KEY ${token}`,
    'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
  };
}

export interface Part {
  /** Header lines of the part; by default those of the file. */
  readonly headers?: readonly string[];
  readonly content: Uint8Array | string;
}

export const FILE_DISPOSITION = 'Content-Disposition: form-data; name="file"; filename="cost.csv"';

/** A multipart body of the parts. */
export function form(...parts: readonly Part[]): Buffer<ArrayBuffer> {
  const pieces: Buffer[] = [];
  for (const { headers = [FILE_DISPOSITION, 'Content-Type: text/csv'], content } of parts) {
    pieces.push(Buffer.from(`--${BOUNDARY}\r\n${headers.join('\r\n')}\r\n\r\n`));
    pieces.push(Buffer.from(content), Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${BOUNDARY}--\r\n`));
  return Buffer.concat(pieces);
}

export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
}

/** Sends a create and returns the answer. */
export async function post(
  url: string,
  body: Buffer<ArrayBuffer>,
  headers: Record<string, string> = uploadHeaders(),
): Promise<Response> {
  return await fetch(url, { method: 'POST', headers, body });
}

/** The body of an answer, which must be a problem. */
export async function problemOf(response: Response): Promise<ProblemBody> {
  return (await response.json()) as ProblemBody;
}

/** The detail of an answer, which must be a problem of this status. */
export async function expectProblem(response: Response, status: number): Promise<string> {
  const problem = await problemOf(response);
  expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
    status,
    type: 'application/problem+json',
  });
  expect(Object.keys(problem).sort()).toEqual(['detail', 'status', 'title', 'type']);
  expect(problem.status).toBe(status);
  expect(problem.title).not.toBe('');
  return problem.detail;
}
