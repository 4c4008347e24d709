import { isUtf8 } from '../csv-scanner.js';

/** The encodings in which spreadsheets save text. */
export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252';

/** The text of a file. */
export interface FileText {
  /** null: none that is known. */
  readonly encoding: Encoding | null;
  /** Without byte order mark; what is damaged is U+FFFD. Empty if the encoding is not known. */
  readonly text: string;
  /** What stands before the first damage; undefined: nothing is damaged. */
  readonly undamaged: string | undefined;
}

const BYTE_ORDER_MARK = 0xfeff;
/** The characters of the bytes 0x80 to 0x9f in Windows-1252; a blank: there is none. */
const FROM_0X80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/**
 * The UTF-16 code unit of each byte of Windows-1252; 0: no text has this byte.
 *
 * The `TextDecoder` of many versions of Node.js 20 to 24 reads 0x80 to 0x9f as Latin-1.
 */
const WINDOWS_1252 = Uint16Array.from(Array.from({ length: 256 }, (_, byte) => unitOf(byte)));

function unitOf(byte: number): number {
  if (byte < 0x20) return [0x09, 0x0a, 0x0d].includes(byte) ? byte : 0;
  if (byte === 0x7f) return 0;
  if (byte < 0x80 || byte >= 0xa0) return byte;
  const unit = FROM_0X80.charCodeAt(byte - 0x80);
  return unit === 0x20 ? 0 : unit;
}

const UTF8 = new TextDecoder('utf-8');
const UTF16 = new TextDecoder('utf-16le', { ignoreBOM: true });

export function textOf(bytes: Uint8Array): FileText {
  const isValid = isUtf8(bytes);
  const encoding = encodingOf(bytes, isValid);
  if (encoding === undefined) return { encoding: null, text: '', undamaged: undefined };
  const end = encoding === 'UTF-8' && isValid ? undefined : damagedAt(bytes, encoding);
  const undamaged = end === undefined ? undefined : decodeText(bytes.subarray(0, end), encoding);
  return { encoding, text: decodeText(bytes, encoding), undamaged };
}

/**
 * The encoding of a file of text, or of its beginning.
 *
 * @param isAllUtf8 whether the whole file is valid UTF-8
 * @returns undefined when it is none of these
 */
export function encodingOf(bytes: Uint8Array, isAllUtf8: boolean): Encoding | undefined {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return 'UTF-16LE';
  if (first === 0xfe && second === 0xff) return 'UTF-16BE';
  // Column names begin with letters of ASCII, one byte of which is NUL in UTF-16.
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'UTF-16LE';
  if (first === 0 && second !== 0 && third === 0 && fourth !== 0) return 'UTF-16BE';
  if (isAllUtf8) return 'UTF-8';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'UTF-8';
  // A few wrong bytes do not make Windows-1252 of UTF-8: all its other letters would be wrong then.
  const { sequences, strays } = utf8In(bytes);
  if (sequences > strays) return 'UTF-8';
  for (const byte of bytes) if (WINDOWS_1252[byte] === 0) return undefined;
  return 'Windows-1252';
}

/** The text without its byte order mark. What is damaged becomes U+FFFD. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === 'UTF-8') return UTF8.decode(bytes);
  const units = unitsOf(bytes, encoding);
  return UTF16.decode(units[0] === BYTE_ORDER_MARK ? units.subarray(1) : units);
}

/**
 * The byte at which text first is not valid in its encoding, such as half of a pair in UTF-16.
 *
 * @returns undefined when it is valid
 */
export function damagedAt(bytes: Uint8Array, encoding: Encoding): number | undefined {
  if (encoding === 'UTF-8') return utf8In(bytes).firstStray;
  if (encoding === 'Windows-1252') return undefined;
  const units = unitsOf(bytes, encoding);
  for (let i = 0; i < units.length; i++) {
    const unit = units[i]!;
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const next = units[i + 1] ?? 0;
    if (unit > 0xdbff || next < 0xdc00 || next > 0xdfff) return 2 * i;
    i++;
  }
  return bytes.length % 2 === 0 ? undefined : bytes.length - 1;
}

interface Utf8Found {
  /** Well-formed sequences of several bytes. */
  readonly sequences: number;
  /** Bytes beyond ASCII that are in none. */
  readonly strays: number;
  readonly firstStray: number | undefined;
}

function utf8In(bytes: Uint8Array): Utf8Found {
  let sequences = 0;
  let strays = 0;
  let firstStray: number | undefined;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at]! < 0x80) continue;
    const length = sequenceAt(bytes, at);
    if (length > 0) {
      sequences++;
      at += length - 1;
    } else {
      strays++;
      firstStray ??= at;
    }
  }
  return { sequences, strays, firstStray };
}

/** The length of the well-formed sequence of several bytes that begins here; 0: none does. */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let i = 1; i < length; i++) {
    if ((bytes[at + i] ?? 0) >> 6 !== 0b10) return 0;
  }
  const second = bytes[at + 1]!;
  // Longer than need be, half of a pair of UTF-16, or beyond the last code point.
  if ((lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f)) return 0;
  if ((lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f)) return 0;
  return length;
}

function unitsOf(bytes: Uint8Array, encoding: Exclude<Encoding, 'UTF-8'>): Uint16Array {
  if (encoding === 'Windows-1252') {
    const units = new Uint16Array(bytes.length);
    for (let i = 0; i < units.length; i++) units[i] = WINDOWS_1252[bytes[i]!]!;
    return units;
  }
  const units = new Uint16Array(bytes.length >> 1);
  const low = encoding === 'UTF-16LE' ? 0 : 1;
  for (let i = 0; i < units.length; i++) {
    units[i] = bytes[2 * i + low]! | (bytes[2 * i + 1 - low]! << 8);
  }
  return units;
}
