import {
  type Column,
  type Family,
  keyColumns,
  ownTexts,
  valueColumns,
  type ValueKind,
} from '../../domain/families/index.js';
import type { Arena } from '../../domain/memory.js';
import {
  blockOf,
  type ColumnType,
  DATE_TIME,
  type NativeColumn,
  STRING,
  UINT128,
  UUID,
} from '../native/block.js';
import type { UploadToStore } from '../row-store.js';
import type { NativeBlock } from '../warehouse.js';
import type { Elements } from '../../csv/verdict.js';

type Element = Pick<Column, 'name' | 'kind'>;

/** Several texts, NUL between them. */
const TEXTS: Element = { name: 'texts', kind: 'text' };
const TOTALS: readonly Element[] = [
  { name: 'currency', kind: 'currency' },
  { name: 'impressions', kind: 'count' },
  { name: 'clicks', kind: 'count' },
  { name: 'cost', kind: 'amount' },
];
/** Of the other kinds they are `String`. */
const ELEMENT_TYPES: Partial<Record<ValueKind, string>> = { count: 'UInt64', amount: 'Float64' };
const KEY_TYPES = ['Date', 'String', 'String'];

/** What an upload has before it is accepted. */
type Content = Pick<UploadToStore, 'account' | 'prepared'>;

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
  const columns = [
    ...columnsOfKeys(family, uploads, arena),
    repeated('version', UINT128, uploads, arena, ({ version }) => version),
    repeated('request_id', UUID, uploads, arena, ({ requestId }) => requestId),
    repeated('uploaded_at', DATE_TIME, uploads, arena, ({ uploadedAt }) => uploadedAt),
    ...columnsOfRows(family, uploads, arena),
  ];
  return blockOf(columns, keysOf(uploads));
}

/** The same without the columns that say which upload it is. */
export function contentBlock(
  family: Family,
  uploads: readonly Content[],
  arena: Arena,
): NativeBlock {
  const columns = [
    ...columnsOfKeys(family, uploads, arena),
    ...columnsOfRows(family, uploads, arena),
  ];
  return blockOf(columns, keysOf(uploads));
}

/** The account and the overwrite key of each row alone. */
export function keyBlock(family: Family, uploads: readonly Content[], arena: Arena): NativeBlock {
  return blockOf(columnsOfKeys(family, uploads, arena), keysOf(uploads));
}

function columnsOfKeys(family: Family, uploads: readonly Content[], arena: Arena): NativeColumn[] {
  const keys = uploads.map(({ prepared }) => prepared.keyColumns);
  return [
    repeated('account', STRING, uploads, arena, ({ account }) => account),
    ...overwriteKeys(family, keys),
  ];
}

/** @param keys of each upload its days and two texts, as Native columns */
export function overwriteKeys(
  family: Family,
  keys: readonly (readonly Uint8Array[])[],
): NativeColumn[] {
  return keyColumns(family).map(({ name }, index) => ({
    name,
    type: KEY_TYPES[index]!,
    parts: keys.map((columns) => columns[index]!),
  }));
}

function columnsOfRows(family: Family, uploads: readonly Content[], arena: Arena): NativeColumn[] {
  const values = valueColumns(family);
  const prepared = uploads.map((upload) => upload.prepared);
  const combinations = prepared.map((upload) => upload.combinations);
  const csvRows = prepared.map((upload) => upload.csvRows);
  const columns = [
    arrayColumn('combinations', [...values, ...ownTexts(family), TEXTS], combinations, arena),
    arrayColumn('csv_rows', [...values, TEXTS], csvRows, arena),
  ];
  if (family.name === 'cost') {
    const totals = prepared.map((upload) => upload.totals);
    columns.push(arrayColumn('totals', TOTALS, totals, arena));
  }
  return columns;
}

function keysOf(uploads: readonly Content[]): number {
  return uploads.reduce((sum, { prepared }) => sum + prepared.keys, 0);
}

/** An array of tuples, of all uploads one after the other. */
function arrayColumn(
  name: string,
  elements: readonly Element[],
  uploads: readonly Elements[],
  arena: Arena,
): NativeColumn {
  const counts = uploads.map((upload) => upload.counts);
  const types = elements.map((each) => `${each.name} ${ELEMENT_TYPES[each.kind] ?? 'String'}`);
  return {
    name,
    type: `Array(Tuple(${types.join(', ')}))`,
    parts: [
      arrayEnds(counts, arena),
      ...elements.flatMap((_, index) => uploads.map(({ columns }) => columns[index]!)),
    ],
  };
}

/** A column that has one value for all keys of an upload. */
function repeated<T, Upload extends Content>(
  name: string,
  type: ColumnType<T>,
  uploads: readonly Upload[],
  arena: Arena,
  value: (upload: Upload) => T,
): NativeColumn {
  return {
    name,
    type: type.name,
    parts: uploads.map((upload) => {
      const bytes = type.write([value(upload)]);
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
