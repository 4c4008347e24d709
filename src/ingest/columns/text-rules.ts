import type { ValueKind } from '../../domain/families/index.js';
import { bytesOf, equals, isCountry, isCurrency, isEventSource } from '../validate/code-sets.js';
import { BROKEN } from '../validate/rules.js';
import { hasWhitespaceAtEnds, isTooLong, MAX_CODE_POINTS } from '../validate/text.js';

/** The rule that a non-blank value breaks, `BROKEN.none` if none. */
export type TextRule = (bytes: Uint8Array, start: number, end: number) => number;

export const plainText: TextRule = (bytes, start, end) => {
  if (hasWhitespaceAtEnds(bytes, start, end)) return BROKEN.whitespace;
  return isTooLong(bytes, start, end) ? BROKEN.tooLong : BROKEN.none;
};

/** A value of a closed set or alphabet; one that only has whitespace around it is told so. */
function codeRule(isMember: (bytes: Uint8Array, start: number, end: number) => boolean): TextRule {
  return (bytes, start, end) => {
    if (isMember(bytes, start, end)) return BROKEN.none;
    return hasWhitespaceAtEnds(bytes, start, end) ? BROKEN.whitespace : BROKEN.kind;
  };
}

function isMetricName(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > MAX_CODE_POINTS) return false;
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    const letter = byte | 0x20;
    if (!((letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39))) return false;
  }
  return true;
}

/** A channel's text, refused when its cost is integrated. */
export function channelRule(integrated: readonly string[]): TextRule {
  if (integrated.length === 0) return plainText;
  const names = integrated.map(bytesOf);
  return (bytes, start, end) => {
    for (const name of names) {
      if (equals(name, bytes, start, end)) return BROKEN.integratedChannel;
    }
    return plainText(bytes, start, end);
  };
}

const RULES: Partial<Record<ValueKind, TextRule>> = {
  text: plainText,
  currency: codeRule(isCurrency),
  country: codeRule(isCountry),
  'metric-name': codeRule(isMetricName),
  'event-source': codeRule(isEventSource),
};

export function textRuleOf(kind: ValueKind): TextRule {
  const rule = RULES[kind];
  if (rule === undefined) throw new Error(`values of the kind ${kind} are not text`);
  return rule;
}
