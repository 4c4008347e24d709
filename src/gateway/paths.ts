import type { FamilyName } from '../domain/families/index.js';

const BASE = 'custom-data-upload/v1.0';

/** The route that both operations stand under; Express takes it with and without a final slash. */
export const REQUESTS_ROUTE = `${BASE}/:family/requests`;

/** Where a request is read. */
export function requestPath(family: FamilyName, requestId: string): string {
  return `/${BASE}/${family}/requests/${requestId}`;
}
