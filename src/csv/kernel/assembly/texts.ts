import { BrokenRule, MAX_CODE_POINTS, TextKind } from '../codes';
import { Room, sameBytes } from './memory';

/** What texts a column takes, over bytes that are valid UTF-8. */
@unmanaged
export class TextRule {
  kind: i32 = 0;
  /** Of `code`. */
  letters: usize = 0;
  firstLetter: u8 = 0;
  /** Flags of `code`; or texts, each behind its length in four bytes. */
  table: Room = new Room();
  tableEnd: usize = 0;

  /** The rule that a text which is not blank breaks. */
  broken(start: usize, end: usize): i32 {
    switch (this.kind) {
      case TextKind.plain:
        return plainText(start, end);
      case TextKind.plainOther:
        return this.isListed(start, end) ? BrokenRule.integratedChannel : plainText(start, end);
      case TextKind.listed:
        return this.isListed(start, end) ? BrokenRule.none : notOfKind(start, end);
      case TextKind.code:
        return this.isCode(start, end) ? BrokenRule.none : notOfKind(start, end);
      default:
        return isMetricName(start, end) ? BrokenRule.none : notOfKind(start, end);
    }
  }

  private isListed(start: usize, end: usize): bool {
    for (let at = this.table.start; at < this.tableEnd; at += 4 + <usize>load<u32>(at)) {
      const length = <usize>load<u32>(at);
      if (length == end - start && sameBytes(at + 4, start, length)) return true;
    }
    return false;
  }

  private isCode(start: usize, end: usize): bool {
    if (end - start != this.letters) return false;
    let number: usize = 0;
    for (let at = start; at < end; at++) {
      const letter = load<u8>(at) - this.firstLetter;
      if (letter > 25) return false;
      number = number * 26 + letter;
    }
    return load<u8>(this.table.start + number) != 0;
  }
}

function plainText(start: usize, end: usize): i32 {
  // Short, with visible ASCII at both ends: nearly every text.
  if (
    end - start <= <usize>MAX_CODE_POINTS &&
    isVisible(load<u8>(start)) &&
    isVisible(load<u8>(end - 1))
  ) {
    return BrokenRule.none;
  }
  if (hasWhitespaceAtEnds(start, end)) return BrokenRule.whitespace;
  return isTooLong(start, end) ? BrokenRule.tooLong : BrokenRule.none;
}

function isVisible(byte: u8): bool {
  return byte > 0x20 && byte < 0x7f;
}

/** The rule broken by a value that is not of its column's kind; whitespace around it goes first. */
export function notOfKind(start: usize, end: usize): i32 {
  if (start == end) return BrokenRule.blank;
  return hasWhitespaceAtEnds(start, end) ? BrokenRule.whitespace : BrokenRule.kind;
}

function isMetricName(start: usize, end: usize): bool {
  if (end - start > <usize>MAX_CODE_POINTS) return false;
  for (let at = start; at < end; at++) {
    const byte = load<u8>(at);
    const letter = byte | 0x20;
    if (!((letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39))) return false;
  }
  return true;
}

function isTooLong(start: usize, end: usize): bool {
  const length = end - start;
  if (length <= <usize>MAX_CODE_POINTS) return false;
  // A code point takes at most four bytes.
  if (length > 4 * <usize>MAX_CODE_POINTS) return true;
  let points: usize = 0;
  for (let at = start; at < end; at++) {
    if ((load<u8>(at) & 0xc0) != 0x80) points++;
  }
  return points > <usize>MAX_CODE_POINTS;
}

/** Whether the first or last character of a text that is not empty is Unicode White_Space. */
function hasWhitespaceAtEnds(start: usize, end: usize): bool {
  if (isWhitespace(start, end)) return true;
  let last = end - 1;
  while (last > start && (load<u8>(last) & 0xc0) == 0x80) last--;
  return isWhitespace(last, end);
}

/** Whether the character that begins at `at` has the Unicode property White_Space. */
function isWhitespace(at: usize, end: usize): bool {
  const a = load<u8>(at);
  if (a < 0x80) return a == 0x20 || (a >= 0x09 && a <= 0x0d);
  const b = at + 1 < end ? load<u8>(at, 1) : 0;
  if (a == 0xc2) return b == 0x85 || b == 0xa0; // U+0085, U+00A0
  const c = at + 2 < end ? load<u8>(at, 2) : 0;
  if (a == 0xe1) return b == 0x9a && c == 0x80; // U+1680
  if (a == 0xe2 && b == 0x80) {
    return (c >= 0x80 && c <= 0x8a) || c == 0xa8 || c == 0xa9 || c == 0xaf; // U+2000 to U+202F
  }
  if (a == 0xe2) return b == 0x81 && c == 0x9f; // U+205F
  return a == 0xe3 && b == 0x80 && c == 0x80; // U+3000
}
