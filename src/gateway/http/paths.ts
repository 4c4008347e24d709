import { isFamilyName, type FamilyName } from '../../domain/families/index.js';
import type { ApiRequest } from './call.js';
import { methodNotAllowed, nothingHere } from './problem.js';

const BASE = 'custom-data-upload/v1.0';

/** The route that both operations stand under; Express takes it with and without a final slash. */
export const REQUESTS_ROUTE = `${BASE}/:family/requests`;

/** Where a request is read. */
export function requestPath(family: FamilyName, requestId: string): string {
  return `/${BASE}/${family}/requests/${requestId}`;
}

/** @throws Problem 405 on an operation's path, 404 on any other */
export function refuseMethod(request: ApiRequest, allow: string): never {
  const family = request.params['family'];
  if (typeof family !== 'string' || !isFamilyName(family)) throw nothingHere();
  throw methodNotAllowed(allow);
}
