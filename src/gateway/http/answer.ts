import type { Response } from 'express';
import { httpDuration, httpRequests } from '../../ops/metrics.js';
import type { ApiRequest } from './call.js';
import { drain, hasUnreadBody } from './drain.js';
import type { Problem } from './problem.js';

/** Answers with JSON. The only places that end an operation's response are this and {@link answerProblem}. */
export function answerRecord(
  request: ApiRequest,
  response: Response,
  status: number,
  record: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  count(request, status);
  const body = JSON.stringify(record);
  response.writeHead(status, {
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

/** Answers with a problem, at once, and then takes the rest of the body off the connection. */
export function answerProblem(request: ApiRequest, response: Response, problem: Problem): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  count(request, problem.status);
  const body = JSON.stringify(problem.body);
  response.writeHead(problem.status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    ...problem.headers,
    // A client that waits for "100 Continue" may send its body after all or not: the next bytes on
    // this connection could be either a body or a request.
    ...(request.awaitsContinue === true && { Connection: 'close' }),
  });
  if (hasUnreadBody(request)) {
    response.write(body);
    drain(request, response);
  } else {
    response.end(body);
  }
}

function count({ call }: ApiRequest, status: number): void {
  if (call === undefined) return;
  const { operation, family, startedAt } = call;
  httpRequests.inc({ operation, family, code: String(status) });
  httpDuration.observe({ operation, family }, (performance.now() - startedAt) / 1000);
}
