import { layoutOf, type Layout } from './native-types.js';

/** From this version on a column says whether it is serialised in a way of its own. */
const WITH_CUSTOM_SERIALIZATION = 54_454;

/** No overflow rows, no bucket, end of the fields. */
const BLOCK_INFO = Buffer.from([1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0]);
const NOT_CUSTOM = Buffer.from([0]);

/**
 * The Native format as a client of this protocol version reads it over HTTP. The engine writes
 * files, which carry no version: each block lacks its header, each column its serialisation mark.
 * A block is held until it is complete.
 *
 * @throws EngineException for a type whose values cannot be passed over
 */
export async function* withProtocolVersion(
  body: AsyncIterable<Buffer>,
  protocolVersion: number,
): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0);
  let next: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    next.push(chunk);
    bytes += chunk.length;
    // An incomplete block is read again from its start: only after it has doubled.
    if (bytes < rest.length) continue;
    rest = Buffer.concat([rest, ...next]);
    next = [];
    bytes = 0;
    const { parts, end } = blocksOf(rest, protocolVersion);
    yield* parts;
    rest = rest.subarray(end);
  }
  rest = Buffer.concat([rest, ...next]);
  const { parts, end } = blocksOf(rest, protocolVersion);
  yield* parts;
  if (end < rest.length) throw new Error('the result ends inside a block');
}

function blocksOf(bytes: Buffer, protocolVersion: number): { parts: Buffer[]; end: number } {
  const parts: Buffer[] = [];
  let end = 0;
  while (end < bytes.length) {
    const block = readBlock(bytes, end);
    if (block === undefined) break;
    parts.push(BLOCK_INFO);
    if (protocolVersion >= WITH_CUSTOM_SERIALIZATION) {
      let from = end;
      for (const mark of block.marks) {
        parts.push(bytes.subarray(from, mark), NOT_CUSTOM);
        from = mark;
      }
      parts.push(bytes.subarray(from, block.end));
    } else {
      parts.push(bytes.subarray(end, block.end));
    }
    end = block.end;
  }
  return { parts, end };
}

/** Where a block ends, and where in it each column's type ends. Undefined: it is incomplete. */
function readBlock(bytes: Buffer, start: number): { marks: number[]; end: number } | undefined {
  const cursor = new Cursor(bytes, start);
  const marks: number[] = [];
  try {
    const columns = cursor.varint();
    const rows = cursor.varint();
    for (let column = 0; column < columns; column++) {
      cursor.skip(cursor.varint());
      const layout = layoutByName(cursor.text(cursor.varint()));
      marks.push(cursor.position);
      if (rows === 0) continue;
      cursor.skip(8 * prefixes(layout));
      skipValues(cursor, layout, rows);
    }
  } catch (error) {
    if (error === INCOMPLETE) return undefined;
    throw error;
  }
  return { marks, end: cursor.position };
}

const layouts = new Map<string, Layout>();

function layoutByName(type: string): Layout {
  let layout = layouts.get(type);
  if (layout === undefined) {
    layout = layoutOf(type);
    // Types with enums and precisions are without end.
    if (layouts.size >= 1_000) layouts.clear();
    layouts.set(type, layout);
  }
  return layout;
}

/** Each dictionary in a type announces its version (8 bytes) before the column's first value. */
function prefixes(layout: Layout): number {
  if (layout.kind === 'lowCardinality') return 1;
  if (layout.kind === 'tuple')
    return layout.of.reduce((sum, element) => sum + prefixes(element), 0);
  return layout.kind === 'array' || layout.kind === 'nullable' ? prefixes(layout.of) : 0;
}

function skipValues(cursor: Cursor, layout: Layout, rows: number): void {
  switch (layout.kind) {
    case 'fixed':
      cursor.skip(layout.bytes * rows);
      break;
    case 'string':
      for (let row = 0; row < rows; row++) cursor.skip(cursor.varint());
      break;
    case 'nullable':
      cursor.skip(rows);
      skipValues(cursor, layout.of, rows);
      break;
    case 'array':
      if (rows === 0) break;
      cursor.skip(8 * (rows - 1));
      skipValues(cursor, layout.of, cursor.uint64());
      break;
    case 'tuple':
      for (const element of layout.of) skipValues(cursor, element, rows);
      break;
    case 'lowCardinality':
      skipDictionary(cursor, layout.of, rows);
      break;
  }
}

/** Index width and flags, the keys, then one index a row. A null is a key, not a mark. */
function skipDictionary(cursor: Cursor, keys: Layout, rows: number): void {
  if (rows === 0) return;
  const indexBytes = 1 << (cursor.uint64() & 0xf);
  skipValues(cursor, keys.kind === 'nullable' ? keys.of : keys, cursor.uint64());
  cursor.skip(indexBytes * cursor.uint64());
}

const INCOMPLETE = new Error('incomplete');

class Cursor {
  constructor(
    private readonly bytes: Buffer,
    public position: number,
  ) {}

  skip(count: number): void {
    this.position += count;
    if (this.position > this.bytes.length) throw INCOMPLETE;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      if (this.position >= this.bytes.length) throw INCOMPLETE;
      const byte = this.bytes[this.position++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  /** Counts stay far below 2^53; of flags only the low bits are asked for. */
  uint64(): number {
    this.skip(8);
    const low = this.bytes.readUInt32LE(this.position - 8);
    return low + this.bytes.readUInt32LE(this.position - 4) * 2 ** 32;
  }

  text(length: number): string {
    this.skip(length);
    return this.bytes.toString('utf8', this.position - length, this.position);
  }
}
