import { isFamilyName } from '../../domain/families/index.js';
import type { ApiRequest } from '../call.js';
import { methodNotAllowed, nothingHere } from './problem.js';

/** @throws Problem 405 on an operation's path, 404 on any other */
export function refuseMethod(request: ApiRequest, allow: string): never {
  const family = request.params['family'];
  if (typeof family !== 'string' || !isFamilyName(family)) throw nothingHere();
  throw methodNotAllowed(allow);
}
