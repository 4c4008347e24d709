import { type Column, type Family, keyColumns, valueColumns } from '../../domain/families/index.js';
import type { Arena } from '../../domain/memory.js';
import { blockOf, type NativeColumn, STRING, UINT128, UUID } from '../native/block.js';
import type { UploadToStore } from '../row-store.js';
import type { NativeBlock } from '../warehouse.js';
import type { PreparedUpload } from '../../csv/verdict.js';

/** All texts of a row, NUL between them. */
const TEXTS = 'texts String';

/**
 * One Native block for a family's storage table: a row for each overwrite key of all uploads.
 *
 * @param arena for columns other than the uploads' own; the block is valid until it is cleared
 */
export function storageBlock(
  family: Family,
  uploads: readonly UploadToStore[],
  arena: Arena,
): NativeBlock {
  const [day, first, second] = keyColumns(family);
  const values = valueColumns(family);
  const prepared = uploads.map((upload) => upload.prepared);
  const columns: NativeColumn[] = [
    repeated('account', 'String', uploads, arena, ({ account }) => STRING.write([account])),
    column(day!.name, 'Date', prepared, ({ keyColumns }) => keyColumns[0]!),
    column(first!.name, 'String', prepared, ({ keyColumns }) => keyColumns[1]!),
    column(second!.name, 'String', prepared, ({ keyColumns }) => keyColumns[2]!),
    repeated('version', 'UInt128', uploads, arena, ({ version }) => UINT128.write([version])),
    repeated('request_id', 'UUID', uploads, arena, ({ requestId }) => UUID.write([requestId])),
    repeated('uploaded_at', "DateTime('UTC')", uploads, arena, ({ uploadedAt }) =>
      Uint8Array.from(Buffer.from(Uint32Array.of(uploadedAt).buffer)),
    ),
    {
      name: 'csv_rows',
      type: arrayOf([...values.map((value) => `${value.name} ${nativeType(value)}`), TEXTS]),
      parts: [
        arrayEnds(
          prepared.map(({ rowCounts }) => rowCounts),
          arena,
        ),
        ...values.flatMap((value, index) => valueParts(value, index, prepared)),
        ...prepared.map(({ rowColumns }) => rowColumns[values.length]!),
      ],
    },
  ];
  if (family.name === 'cost') columns.push(totalsColumn(prepared, arena));
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
  // A nullable column has all its null flags first, and then its values.
  const nulls = prepared.map(({ rows }, upload) => parts[upload]!.subarray(0, rows));
  const values = prepared.map(({ rows }, upload) => parts[upload]!.subarray(rows));
  return [...nulls, ...values];
}

function totalsColumn(prepared: readonly PreparedUpload[], arena: Arena): NativeColumn {
  const elements = ['currency String', 'impressions UInt64', 'clicks UInt64', 'cost Float64'];
  return {
    name: 'totals',
    type: arrayOf(elements),
    parts: [
      arrayEnds(
        prepared.map(({ totalCounts }) => totalCounts),
        arena,
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
  arena: Arena,
  value: (upload: UploadToStore) => Uint8Array,
): NativeColumn {
  return {
    name,
    type,
    parts: uploads.map((upload) => {
      const bytes = value(upload);
      return bufferOf(arena.bytes(bytes.length * upload.prepared.keys)).fill(bytes);
    }),
  };
}

/** The Native form of array sizes: by array, the sum of all sizes up to and with it, `UInt64`. */
function arrayEnds(counts: readonly Uint32Array[], arena: Arena): Uint8Array {
  const size = counts.reduce((sum, { length }) => sum + length, 0);
  const words = arena.words(size * 2);
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
  return bufferOf(words);
}

function bufferOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
