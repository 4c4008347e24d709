import { COUNTRIES } from '../domain/code-lists/countries.js';
import { CURRENCIES } from '../domain/code-lists/currencies.js';
import { EVENT_SOURCES } from '../domain/families/event-sources.js';
import type { ValueKind } from '../domain/families/index.js';
import { TextKind } from './kernel/codes.js';

/** Which texts a column takes, as the kernel has it (`TextRule` in `kernel/assembly/texts.ts`). */
export interface TextRule {
  readonly kind: TextKind;
  readonly letters?: number;
  readonly firstLetter?: number;
  readonly table?: Uint8Array;
}

const RULES: Partial<Record<ValueKind, TextRule>> = {
  text: { kind: TextKind.plain },
  // A channel whose cost is integrated is refused: the table has those of the account.
  channel: { kind: TextKind.plainOther },
  currency: codeRule(CURRENCIES, 'A'),
  country: codeRule(COUNTRIES, 'a'),
  'metric-name': { kind: TextKind.metricName },
  'event-source': { kind: TextKind.listed, table: tableOf(EVENT_SOURCES) },
};

export function textRuleOf(kind: ValueKind): TextRule {
  const rule = RULES[kind];
  if (rule === undefined) throw new Error(`values of the kind ${kind} are not text`);
  return rule;
}

/** Texts one behind the other, each behind its length in four bytes. */
export function tableOf(words: readonly string[]): Uint8Array {
  return Uint8Array.from(
    words.flatMap((word) => {
      const bytes = new TextEncoder().encode(word);
      return [...new Uint8Array(Uint32Array.of(bytes.length).buffer), ...bytes];
    }),
  );
}

/** A flag for each code, at the number that its letters make in base 26. */
function codeRule(codes: readonly string[], first: string): TextRule {
  const letters = codes[0]!.length;
  const firstLetter = first.charCodeAt(0);
  const table = new Uint8Array(26 ** letters);
  for (const code of codes) {
    let number = 0;
    for (let i = 0; i < letters; i++) number = number * 26 + code.charCodeAt(i) - firstLetter;
    table[number] = 1;
  }
  return { kind: TextKind.code, letters, firstLetter, table };
}
