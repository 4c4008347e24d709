import type { IncomingMessage } from 'node:http';
import { MAX_KEY_LENGTH } from '../../../domain/upload-limits.js';
import { malformedKey } from '../../http/problem.js';

/** Printable ASCII; blanks at the ends are the header's, not the key's. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
/** A string of RFC 9651, which the draft of the header asks for. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/**
 * The key of a header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), with or without
 * the quotes around it; undefined when there is no such header.
 *
 * @throws Problem 400
 */
export function idempotencyKey({ headersDistinct }: IncomingMessage): string | undefined {
  const values = headersDistinct['idempotency-key'];
  if (values === undefined) return undefined;
  const [value = ''] = values;
  const key = QUOTED.exec(value)?.[1]?.replace(/\\(.)/g, '$1') ?? PLAIN.exec(value)?.[0] ?? '';
  const isMalformed = key === '' || key.length > MAX_KEY_LENGTH || values.length > 1;
  if (isMalformed || (value.startsWith('"') && !QUOTED.test(value))) throw malformedKey();
  return key;
}
