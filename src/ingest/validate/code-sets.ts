import { COUNTRIES } from '../../domain/code-lists/countries.js';
import { CURRENCIES } from '../../domain/code-lists/currencies.js';
import { EVENT_SOURCES } from '../../domain/families/event-sources.js';

/** Closed sets of short ASCII codes, looked up by their bytes. */

const CURRENCY_INDEX = indexOf(CURRENCIES, 0x41);
const COUNTRY_INDEX = indexOf(COUNTRIES, 0x61);
const EVENT_SOURCE_BYTES = EVENT_SOURCES.map((word) => bytesOf(word));

/** A flag for each code, at the number that its letters make in base 26. */
function indexOf(codes: readonly string[], firstLetter: number): Uint8Array {
  const flags = new Uint8Array(26 ** codes[0]!.length);
  for (const code of codes) {
    let at = 0;
    for (let i = 0; i < code.length; i++) at = at * 26 + code.charCodeAt(i) - firstLetter;
    flags[at] = 1;
  }
  return flags;
}

export function isCurrency(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== 3) return false;
  const a = bytes[start]! - 0x41;
  const b = bytes[start + 1]! - 0x41;
  const c = bytes[start + 2]! - 0x41;
  return isLetter(a) && isLetter(b) && isLetter(c) && CURRENCY_INDEX[(a * 26 + b) * 26 + c] === 1;
}

export function isCountry(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== 2) return false;
  const a = bytes[start]! - 0x61;
  const b = bytes[start + 1]! - 0x61;
  return isLetter(a) && isLetter(b) && COUNTRY_INDEX[a * 26 + b] === 1;
}

export function isEventSource(bytes: Uint8Array, start: number, end: number): boolean {
  return EVENT_SOURCE_BYTES.some((word) => equals(word, bytes, start, end));
}

/** 1 for `true`, 0 for `false`, -1 for anything else. */
export function parseBoolean(bytes: Uint8Array, start: number, end: number): number {
  if (equals(TRUE, bytes, start, end)) return 1;
  return equals(FALSE, bytes, start, end) ? 0 : -1;
}

const TRUE = bytesOf('true');
const FALSE = bytesOf('false');

function isLetter(offset: number): boolean {
  return offset >= 0 && offset < 26;
}

export function bytesOf(word: string): Uint8Array {
  return new TextEncoder().encode(word);
}

export function equals(word: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++) {
    if (bytes[start + i] !== word[i]) return false;
  }
  return true;
}
