/** The encodings in which spreadsheets save text. */
export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252';

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

/**
 * The encoding of a file of text, or of its beginning.
 *
 * @param isUtf8 whether the whole file is valid UTF-8
 * @returns undefined when it is none of these
 */
export function encodingOf(bytes: Uint8Array, isUtf8: boolean): Encoding | undefined {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return 'UTF-16LE';
  if (first === 0xfe && second === 0xff) return 'UTF-16BE';
  // Column names begin with letters of ASCII, one byte of which is NUL in UTF-16.
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'UTF-16LE';
  if (first === 0 && second !== 0 && third === 0 && fourth !== 0) return 'UTF-16BE';
  if (isUtf8) return 'UTF-8';
  for (const byte of bytes) if (WINDOWS_1252[byte] === 0) return undefined;
  return 'Windows-1252';
}

/** The text without its byte order mark. What is damaged becomes U+FFFD. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === 'UTF-8') return UTF8.decode(bytes);
  const units = unitsOf(bytes, encoding);
  return UTF16.decode(units[0] === BYTE_ORDER_MARK ? units.subarray(1) : units);
}

/** Whether UTF-16 was cut within a character, or has half of a pair somewhere. */
export function isDamaged(bytes: Uint8Array, encoding: Encoding): boolean {
  if (encoding !== 'UTF-16LE' && encoding !== 'UTF-16BE') return false;
  if (bytes.length % 2 !== 0) return true;
  const units = unitsOf(bytes, encoding);
  for (let i = 0; i < units.length; i++) {
    const unit = units[i]!;
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const next = units[i + 1] ?? 0;
    if (unit > 0xdbff || next < 0xdc00 || next > 0xdfff) return true;
    i++;
  }
  return false;
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
