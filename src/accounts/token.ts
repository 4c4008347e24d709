import { hash, randomBytes } from 'node:crypto';

/** Lets people and secret scanners recognise a token of this service. */
const PREFIX = 'cdu_';

/** A new token: a prefix and 256 random bits. */
export function newToken(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/**
 * What a token is stored and looked up as, in hexadecimal digits.
 *
 * A plain hash is enough for a secret of 256 random bits: there is nothing to guess. Looking up the
 * hash also needs no comparison in constant time: what its timing might tell is a piece of a
 * SHA-256, which says nothing of the token and which a caller cannot steer.
 */
export function hashOfToken(token: string): string {
  return hash('sha256', token);
}
