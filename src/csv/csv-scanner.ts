import type { RowFault } from './kernel/codes.js';
import type { Kernel } from './kernel/kernel.js';

/** No row has so many fields, so each is the last of its block. */
const ANY_WIDTH = 0;

/**
 * Finds the fields of CSV rows (RFC 4180, comma, LF or CRLF) in one file after the other, each in
 * the memory of the kernel.
 */
export class CsvScanner {
  /** Where the fields of the row that `next` found last begin and end in `bytes`. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  private address = 0;
  private size = 0;

  /** @param capacity how many fields of a row get positions; further ones are only counted */
  constructor(
    private readonly kernel: Kernel,
    private readonly capacity: number,
  ) {
    kernel.calls.roomForFields(capacity);
    this.starts = new Int32Array(capacity);
    this.ends = new Int32Array(capacity);
  }

  /** The open file; quoted fields that the scanner has passed are folded. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.kernel.view(this.address, this.size);
  }

  /** The fault in the form of the last row. */
  get fault(): RowFault {
    return this.kernel.calls.lastFault();
  }

  /** How many fields that row has; 0 at the end of the file. */
  get fields(): number {
    return this.kernel.calls.lastFields();
  }

  /**
   * Where the next row begins: one past the last row's line feed; beyond the end when that row had
   * none.
   */
  get nextRowAt(): number {
    return this.kernel.calls.nextRowAt();
  }

  /**
   * @param parts the file, whose parts follow one another
   * @param from where its first row begins; if not given, behind a byte order mark
   */
  open(parts: readonly Uint8Array[], from?: number): void {
    this.size = parts.reduce((sum, part) => sum + part.length, 0);
    this.address = this.kernel.calls.roomForFile(this.size);
    const { bytes } = this;
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    this.kernel.calls.openFile(from ?? startOfText(bytes), this.size);
  }

  /**
   * Finds the next row and the positions of its fields.
   *
   * @returns how many fields the row has (maybe more than the capacity), or 0 at the end of the
   * file
   */
  next(): number {
    const { kernel, capacity } = this;
    kernel.calls.nextRows(0, capacity, ANY_WIDTH, 1);
    const fields = this.fields;
    const stored = Math.min(fields, capacity);
    this.read(kernel.calls.startsAt(), stored, this.starts);
    this.read(kernel.calls.endsAt(), stored, this.ends);
    return fields;
  }

  /** The values of that row, up to the capacity; pieces of `bytes`. */
  values(): Uint8Array<ArrayBuffer>[] {
    const { bytes, starts, ends } = this;
    return Array.from({ length: Math.min(this.fields, this.capacity) }, (_, field) =>
      bytes.subarray(starts[field], ends[field]),
    );
  }

  private read(address: number, count: number, to: Int32Array): void {
    const { buffer, byteOffset } = this.kernel.view(address, 4 * count);
    const positions = new Int32Array(buffer, byteOffset, count);
    for (let i = 0; i < count; i++) to[i] = positions[i]! - this.address;
  }
}

/** How many rows are scanned before their columns are checked: few enough to stay in the cache. */
export const BLOCK_ROWS = 512;

/** The next rows of a file, of equal width; the kernel has the positions of their fields. */
export class RowBlock {
  rows = 0;
  /** The rows as a spreadsheet shows them: the header is row 1. */
  readonly rowNumbers = new Int32Array(BLOCK_ROWS);

  /** @param width how many fields of a row the block has: all of them, or the first ones */
  constructor(
    readonly kernel: Kernel,
    readonly width: number,
  ) {
    kernel.calls.roomForFields(BLOCK_ROWS * width);
  }

  /**
   * Adds the rows before the first that has a fault or another number of fields.
   *
   * @param fields how many a row must have
   * @param most at most so many rows, and as many as there is room for
   * @param rowNumber of the first one
   * @returns how many were added
   */
  take(fields: number, most: number, rowNumber: number): number {
    const room = BLOCK_ROWS - this.rows;
    const taken = this.kernel.calls.nextRows(this.rows, this.width, fields, Math.min(room, most));
    for (let i = 0; i < taken; i++) this.rowNumbers[this.rows++] = rowNumber + i;
    return taken;
  }

  /**
   * Where each field of the rows begins and ends in the kernel's memory, row after row. Valid until
   * the next call of the kernel.
   */
  get positions(): { readonly starts: Uint32Array; readonly ends: Uint32Array } {
    const { calls } = this.kernel;
    return { starts: this.addressesAt(calls.startsAt()), ends: this.addressesAt(calls.endsAt()) };
  }

  /** The value of a field, which is valid until the next call of the kernel. */
  valueAt(row: number, field: number): Uint8Array {
    const { calls } = this.kernel;
    const at = 4 * (row * this.width + field);
    const start = this.addressAt(calls.startsAt() + at);
    return this.kernel.view(start, this.addressAt(calls.endsAt() + at) - start);
  }

  /**
   * The row from its first value to the end of its last one, valid until the next call of the
   * kernel. Behind a value that had doubled quotes stand a quote and its last bytes once more.
   */
  spanOf(row: number): Uint8Array {
    const { calls } = this.kernel;
    const start = this.addressAt(calls.startsAt() + 4 * row * this.width);
    const end = this.addressAt(calls.endsAt() + 4 * ((row + 1) * this.width - 1));
    return this.kernel.view(start, end - start);
  }

  private addressesAt(address: number): Uint32Array {
    const count = this.rows * this.width;
    const { buffer, byteOffset } = this.kernel.view(address, 4 * count);
    return new Uint32Array(buffer, byteOffset, count);
  }

  private addressAt(address: number): number {
    const { buffer, byteOffset } = this.kernel.view(address, 4);
    return new Uint32Array(buffer, byteOffset, 1)[0]!;
  }
}

/** The part of `node:buffer` that is used here. */
interface NodeBuffers {
  readonly isUtf8: (bytes: Uint8Array) => boolean;
  readonly Buffer: {
    from(bytes: ArrayBufferLike, from: number, length: number): { includes(byte: number): boolean };
  };
}

interface MaybeNode {
  readonly process?: { getBuiltinModule?(id: 'node:buffer'): NodeBuffers };
}

/**
 * Node's checks are many times as fast as the language's own. Those serve in a browser, which
 * judges files by the same rules.
 */
const node = (globalThis as MaybeNode).process?.getBuiltinModule?.('node:buffer');

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

export function isUtf8Anywhere(bytes: Uint8Array): boolean {
  try {
    strictUtf8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export const isUtf8 = node?.isUtf8 ?? isUtf8Anywhere;

function hasNul(bytes: Uint8Array): boolean {
  if (node === undefined) return bytes.includes(0);
  return node.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(0);
}

/** Where the text begins: behind a byte order mark, if there is one. */
function startOfText(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Whether the bytes are valid UTF-8 without NUL: one fast look at the whole file. */
export function isWellFormedText(bytes: Uint8Array): boolean {
  return !hasNul(bytes) && isUtf8(bytes);
}

/** The fault of a field in a file that is not well-formed text; undefined: this field has none. */
export function faultOfText(field: Uint8Array): string | undefined {
  if (hasNul(field)) return 'contains a NUL character';
  return isUtf8(field) ? undefined : 'is not valid UTF-8';
}
