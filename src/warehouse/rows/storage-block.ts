import { type Column, type Family, keyColumns, valueColumns } from '../../domain/families/index.js';
import { blockOf, type NativeColumn, STRING, UINT128, UUID } from '../native/block.js';
import type { UploadToStore } from '../row-store.js';
import type { NativeBlock } from '../warehouse.js';
import type { PreparedUpload } from '../../csv/prepared-upload.js';

/** All texts of a row, NUL between them. */
const TEXTS = 'texts String';

/**
 * One Native block for a family's storage table: a row an overwrite key, of all the uploads.
 *
 * @param room for what is not the uploads' own; the block is as long of use as its content stays
 */
export function storageBlock(
  family: Family,
  uploads: readonly UploadToStore[],
  room: BlockRoom,
): NativeBlock {
  const [day, first, second] = keyColumns(family);
  const values = valueColumns(family);
  const prepared = uploads.map((upload) => upload.prepared);
  const columns: NativeColumn[] = [
    repeated('account', 'String', uploads, room, ({ account }) => STRING.write([account])),
    column(day!.name, 'Date', prepared, ({ keyColumns }) => keyColumns[0]!),
    column(first!.name, 'String', prepared, ({ keyColumns }) => keyColumns[1]!),
    column(second!.name, 'String', prepared, ({ keyColumns }) => keyColumns[2]!),
    repeated('version', 'UInt128', uploads, room, ({ version }) => UINT128.write([version])),
    repeated('request_id', 'UUID', uploads, room, ({ requestId }) => UUID.write([requestId])),
    repeated('uploaded_at', "DateTime('UTC')", uploads, room, ({ uploadedAt }) =>
      Uint8Array.from(Buffer.from(Uint32Array.of(uploadedAt).buffer)),
    ),
    {
      name: 'csv_rows',
      type: arrayOf([...values.map((value) => `${value.name} ${nativeType(value)}`), TEXTS]),
      parts: [
        arrayEnds(
          prepared.map(({ rowCounts }) => rowCounts),
          room,
        ),
        ...values.flatMap((value, index) => valueParts(value, index, prepared)),
        ...prepared.map(({ rowColumns }) => rowColumns[values.length]!),
      ],
    },
  ];
  if (family.name === 'cost') columns.push(totalsColumn(prepared, room));
  return blockOf(
    columns,
    prepared.reduce((sum, { keys }) => sum + keys, 0),
  );
}

/** One of the rows' values, of all uploads one after the other. */
function valueParts(
  { kind }: Column,
  index: number,
  prepared: readonly PreparedUpload[],
): Uint8Array[] {
  const parts = prepared.map(({ rowColumns }) => rowColumns[index]!);
  if (kind !== 'boolean') return parts;
  // A nullable column says of all its rows which are null, and only then gives their values.
  const nulls = prepared.map(({ rows }, upload) => parts[upload]!.subarray(0, rows));
  const values = prepared.map(({ rows }, upload) => parts[upload]!.subarray(rows));
  return [...nulls, ...values];
}

function totalsColumn(prepared: readonly PreparedUpload[], room: BlockRoom): NativeColumn {
  const elements = ['currency String', 'impressions UInt64', 'clicks UInt64', 'cost Float64'];
  return {
    name: 'totals',
    type: arrayOf(elements),
    parts: [
      arrayEnds(
        prepared.map(({ totalCounts }) => totalCounts),
        room,
      ),
      ...elements.flatMap((_, index) => prepared.map(({ totalColumns }) => totalColumns[index]!)),
    ],
  };
}

function nativeType(column: Column): string {
  switch (column.kind) {
    case 'count':
      return 'UInt64';
    case 'amount':
      return 'Float64';
    case 'boolean':
      return 'Nullable(Bool)';
    default:
      throw new Error(`${column.name} is no value`);
  }
}

function arrayOf(elements: readonly string[]): string {
  return `Array(Tuple(${elements.join(', ')}))`;
}

function column(
  name: string,
  type: string,
  prepared: readonly PreparedUpload[],
  part: (upload: PreparedUpload) => Uint8Array,
): NativeColumn {
  return { name, type, parts: prepared.map(part) };
}

/** A column that has one value for all keys of an upload. */
function repeated(
  name: string,
  type: string,
  uploads: readonly UploadToStore[],
  room: BlockRoom,
  value: (upload: UploadToStore) => Uint8Array,
): NativeColumn {
  return {
    name,
    type,
    parts: uploads.map((upload) => {
      const bytes = value(upload);
      return room.take(bytes.length * upload.prepared.keys).fill(bytes);
    }),
  };
}

/** The Native form of array sizes: by array, the sum of all sizes up to and with it, `UInt64`. */
function arrayEnds(counts: readonly Uint32Array[], room: BlockRoom): Uint8Array {
  const size = counts.reduce((sum, { length }) => sum + length, 0);
  const bytes = room.take(size * 8);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, size * 2);
  let at = 0;
  let end = 0;
  for (const upload of counts) {
    for (let key = 0; key < upload.length; key++) {
      end += upload[key]!;
      words[at] = end;
      words[at + 1] = 0;
      at += 2;
    }
  }
  return bytes;
}

/** For 250,000 keys: 53 bytes each, and the account's name. What does not fit has memory of its own. */
export const ROOM_BYTES = 32 * 1024 * 1024;
/** One for each insert that a family may have under way, or for each family. */
const MOST_KEPT = 2;

/** Memory for one block. */
export class BlockRoom {
  private readonly bytes = Buffer.alloc(ROOM_BYTES);
  private used = 0;

  /** So many bytes, of whatever content, that begin at a multiple of eight. */
  take(length: number): Buffer<ArrayBuffer> {
    const end = this.used + length;
    if (end > ROOM_BYTES) return Buffer.allocUnsafeSlow(length);
    const taken = this.bytes.subarray(this.used, end);
    this.used = Math.ceil(end / 8) * 8;
    return taken;
  }

  clear(): void {
    this.used = 0;
  }
}

/**
 * Memory for the columns that a block has beside its uploads' own, used again and again.
 *
 * They live as long as an insert, so they would outlive the collector's young generation: with memory
 * of their own each, the blocks of 80 files brought four to six full collections, and now none.
 */
export class BlockMemory {
  // From the start: V8 collects its whole heap when so much comes later (and nothing is resident before it is used).
  private readonly kept = Array.from({ length: MOST_KEPT }, () => new BlockRoom());

  lend(): BlockRoom {
    return this.kept.pop() ?? new BlockRoom();
  }

  /** Nothing that was written to it is needed any more. */
  giveBack(room: BlockRoom): void {
    if (this.kept.length === MOST_KEPT) return;
    room.clear();
    this.kept.push(room);
  }
}
