/** Below the idle time of usual load balancers, which would cut a longer wait (60 s). */
const MAX_WAIT_SECONDS = 30;
const WAIT = /^wait[\t ]*=[\t ]*(?:"(\d+)"|(\d+))[\t ]*(?:;|$)/i;

/**
 * The seconds of the preference `wait` in a header `Prefer` (RFC 7240), 0 to 30; undefined when there
 * is none or it is malformed. Of several the first counts.
 */
export function preferredWait(prefer: string | undefined): number | undefined {
  if (prefer === undefined) return undefined;
  const preference = prefer
    .split(',')
    .map((each) => each.trim())
    .find((each) => /^wait(?:[\t =;]|$)/i.test(each));
  const match = WAIT.exec(preference ?? '');
  if (match === null) return undefined;
  return Math.min(Number(match[1] ?? match[2]), MAX_WAIT_SECONDS);
}
