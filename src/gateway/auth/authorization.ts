/** The scheme word of the header `Authorization`, which also stands in `WWW-Authenticate`. */
export const SCHEME = 'SERVICE-API-KEY';

// Scheme words are case-insensitive (RFC 9110, 11.1); the one space is this API's own rule.
const CREDENTIALS = new RegExp(`^${SCHEME} ([^\\s]+)$`, 'i');

/** The token of an `Authorization` header; undefined when the header is absent or malformed. */
export function tokenIn(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : CREDENTIALS.exec(authorization)?.[1];
}
