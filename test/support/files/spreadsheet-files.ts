import { surveyed, type SurveyedFile } from '../../../src/csv/spreadsheet/detect.js';
import { type Encoding, textOf } from '../../../src/csv/spreadsheet/text-encoding.js';
import type { Family } from '../../../src/domain/families/index.js';

/** The characters of Windows-1252 that ISO 8859-1 does not have, and their bytes. */
const CHARACTERS = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const BYTES = [
  0x80, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8e, 0x91, 0x92, 0x93,
  0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9e, 0x9f,
];
const BEYOND_LATIN_1 = new Map(BYTES.map((byte, i) => [CHARACTERS[i]!, byte]));

/** A text as a spreadsheet writes it. */
export function encoded(text: string, encoding: Encoding, hasByteOrderMark = true): Buffer {
  const marked = hasByteOrderMark ? `\ufeff${text}` : text;
  switch (encoding) {
    case 'UTF-8':
      return Buffer.from(marked);
    case 'UTF-16LE':
      return Buffer.from(marked, 'utf16le');
    case 'UTF-16BE':
      return Buffer.from(marked, 'utf16le').swap16();
    case 'Windows-1252':
      return Buffer.from(Array.from(text, windowsByte));
  }
}

/** Whether text in Windows-1252 may have this character. */
export function isInWindows1252(character: string): boolean {
  const code = character.codePointAt(0)!;
  const isPrinted = (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff);
  return isPrinted || '\t\n\r'.includes(character) || BEYOND_LATIN_1.has(character);
}

function windowsByte(character: string): number {
  if (!isInWindows1252(character)) throw new Error(`Windows-1252 has no ${character}`);
  return BEYOND_LATIN_1.get(character) ?? character.codePointAt(0)!;
}

export function surveyedBytes(bytes: Uint8Array, family: Family): SurveyedFile {
  return surveyed(textOf(bytes), family);
}
