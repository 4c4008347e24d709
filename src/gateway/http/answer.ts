import type { Response } from 'express';
import { isFamilyName, type FamilyName } from '../../domain/families/index.js';
import { httpDuration, httpRequests } from '../../ops/metrics.js';
import type { ApiRequest } from './call.js';
import { drain, hasUnreadBody } from './drain.js';
import { methodNotAllowed, nothingHere, type Problem } from './problem.js';

const BASE = 'custom-data-upload/v1.0';

/** The route of previews, which take what a create takes. */
export const PREVIEW_ROUTE = 'custom-data-preview/v1.0/:family';

/** The route of both operations; Express takes it with and without a final slash. */
export const REQUESTS_ROUTE = `${BASE}/:family/requests`;

/** Where a request is read. */
export function requestPath(family: FamilyName, requestId: string): string {
  return `/${BASE}/${family}/requests/${requestId}`;
}

/** @throws Problem 405 on an operation's path, 404 on any other */
export function refuseMethod(request: ApiRequest, allow: string): never {
  const family = request.params['family'];
  if (!isFamilyName(family)) throw nothingHere();
  throw methodNotAllowed(allow);
}

/** Tells a client that waits for it to send the body. */
export function sayContinue(request: ApiRequest, response: Response): void {
  if (request.awaitsContinue !== true) return;
  request.awaitsContinue = false;
  response.writeContinue();
}

/** Answers with JSON. Only this and {@link answerProblem} end an operation's response. */
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

/** Answers with a problem at once, then takes the rest of the body off the connection. */
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
    // A client that waits for "100 Continue" may send its body or not: the next bytes on this
    // connection could be a body or a request.
    ...(request.awaitsContinue === true && { Connection: 'close' }),
  });
  if (hasUnreadBody(request)) {
    // Of an answer to HEAD `write` would send nothing.
    if (request.method === 'HEAD') response.flushHeaders();
    else response.write(body);
    drain(request, response);
  } else {
    response.end(body);
  }
}

function count({ call }: ApiRequest, status: number): void {
  if (call === undefined) return;
  const { operation, family, startedAt } = call;
  const labels = { operation, family, code: String(status) };
  httpRequests.inc(labels);
  httpDuration.observe(labels, (performance.now() - startedAt) / 1000);
}
