import { Cursor } from './native-cursor.js';
import { EngineException } from './exception.js';
import { layoutOf, type Layout } from './native-types.js';

/** From this version on each column says whether it has a custom serialisation. */
const WITH_CUSTOM_SERIALIZATION = 54_454;

/** No overflow rows, no bucket, end of the fields. */
const BLOCK_INFO = Buffer.from([1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0]);
const NOT_CUSTOM = Buffer.from([0]);

/**
 * A block up to this size is held back until it is complete, so that an error falls between two
 * blocks.
 */
const HELD_BYTES = 4 * 1024 * 1024;

/** Names of types are read whole; one of a large enum is long. */
const TYPE_BYTES = 64 * 1024;
const REMEMBERED_TYPE_LENGTH = 1024;

/**
 * The Native format as a client of this protocol version reads it over HTTP. The engine writes
 * files, which carry no version: blocks lack their header, and columns their serialisation mark.
 * Bytes pass as they come, however large the client lets a block be.
 *
 * @throws EngineException for a type whose values cannot be skipped
 */
export async function* withProtocolVersion(
  body: AsyncIterable<Buffer>,
  protocolVersion: number,
): AsyncGenerator<Buffer, void> {
  const marked = protocolVersion >= WITH_CUSTOM_SERIALIZATION;
  const cursor = new Cursor();
  const reading = readBlocks(cursor, marked);
  let inside: boolean | undefined;
  for await (const chunk of body) {
    cursor.feed(chunk);
    inside = reading.next().value;
    if (cursor.heldBytes > HELD_BYTES) cursor.release();
    yield* cursor.takeReleased();
  }
  if (inside === true) throw new Error('the result ends inside a block');
}

/** Processes all bytes that are there, then says whether it is inside a block. */
function* readBlocks(cursor: Cursor, marked: boolean): Generator<boolean, never> {
  for (;;) {
    while (cursor.isEmpty) yield false;
    cursor.insert(BLOCK_INFO);
    const block = readBlock(cursor, marked);
    while (block.next().done !== true) yield true;
    cursor.release();
  }
}

/** Stops wherever the bytes end, and goes on when there are more. */
type Reading<T = void> = Generator<void, T>;

function* readBlock(cursor: Cursor, marked: boolean): Reading {
  const columns = yield* cursor.varint();
  const rows = yield* cursor.varint();
  for (let column = 0; column < columns; column++) {
    yield* cursor.skip(yield* cursor.varint());
    const length = yield* cursor.varint();
    if (length > TYPE_BYTES) throw tooLong();
    const layout = layoutByName(yield* cursor.text(length));
    if (marked) cursor.insert(NOT_CUSTOM);
    if (rows === 0) continue;
    yield* cursor.skip(8 * prefixes(layout));
    yield* skipValues(cursor, layout, rows);
  }
}

function tooLong(): EngineException {
  return EngineException.of(
    'NOT_IMPLEMENTED',
    `A type's name of over ${TYPE_BYTES} bytes is not supported in the Native format.`,
  );
}

const layouts = new Map<string, Layout>();

function layoutByName(type: string): Layout {
  let layout = layouts.get(type);
  if (layout === undefined) {
    layout = layoutOf(type);
    if (type.length > REMEMBERED_TYPE_LENGTH) return layout;
    // There is no limit to the number of types with enums and precisions.
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

function* skipValues(cursor: Cursor, layout: Layout, rows: number): Reading {
  switch (layout.kind) {
    case 'fixed':
      yield* cursor.skip(layout.bytes * rows);
      break;
    case 'string':
      yield* cursor.skipStrings(rows);
      break;
    case 'nullable':
      yield* cursor.skip(rows);
      yield* skipValues(cursor, layout.of, rows);
      break;
    case 'array':
      if (rows === 0) break;
      yield* cursor.skip(8 * (rows - 1));
      yield* skipValues(cursor, layout.of, yield* cursor.uint64());
      break;
    case 'tuple':
      for (const element of layout.of) yield* skipValues(cursor, element, rows);
      break;
    case 'lowCardinality':
      yield* skipDictionary(cursor, layout.of, rows);
      break;
  }
}

/** Index width and flags, the keys, then one index a row. A null is a key, not a flag. */
function* skipDictionary(cursor: Cursor, keys: Layout, rows: number): Reading {
  if (rows === 0) return;
  const indexBytes = 1 << ((yield* cursor.uint64()) & 0xf);
  yield* skipValues(cursor, keys.kind === 'nullable' ? keys.of : keys, yield* cursor.uint64());
  yield* cursor.skip(indexBytes * (yield* cursor.uint64()));
}
