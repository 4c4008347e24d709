import {
  joinedTexts,
  ownTexts,
  textColumns,
  valueColumns,
  type Column,
  type Family,
  type ValueKind,
} from '../../../src/domain/families/index.js';
import type { PreparedUpload } from '../../../src/csv/verdict.js';

/** Decodes a prepared upload in the simplest way, so that tests compare values, not bytes. */

export type Value = string | number | bigint | boolean | null;
export type Row = Readonly<Record<string, Value>>;

export interface Total {
  readonly currency: string;
  readonly impressions: bigint;
  readonly clicks: bigint;
  readonly cost: number;
}

export interface DecodedKey {
  /** The date, then the two texts of the key. */
  readonly key: readonly [string, string, string];
  /** The CSV rows: the columns outside the key, by name. */
  readonly rows: readonly Row[];
  /** What reports show. */
  readonly combinations: readonly Row[];
  /** Whether the CSV rows are stored beside the combinations. */
  readonly hasCsvRows: boolean;
  readonly totals: readonly Total[];
}

/** The keys in storage order. Throws when a column has too many or too few bytes. */
export function decodePrepared(family: Family, upload: PreparedUpload): DecodedKey[] {
  const [days, firsts, seconds] = [
    read(upload.keyColumns[0]!, upload.keys, (bytes) => textOfDay(bytes.uint(2))),
    read(upload.keyColumns[1]!, upload.keys, (bytes) => bytes.text()),
    read(upload.keyColumns[2]!, upload.keys, (bytes) => bytes.text()),
  ];
  const combinations = split(
    readElements(family, ownTexts(family), joinedTexts(family), upload.combinations.columns),
    upload.combinations.counts,
  );
  const csvRows = split(
    readElements(family, [], textColumns(family), upload.csvRows.columns),
    upload.csvRows.counts,
  );
  const { counts } = upload.totals;
  const totals = readTotals(upload);
  const totalsOf = counts.length === 0 ? [] : split(totals, counts);
  return days.map((day, i) => ({
    key: [day, firsts[i]!, seconds[i]!],
    rows: csvRows[i]!.length > 0 ? csvRows[i]! : combinations[i]!,
    combinations: combinations[i]!,
    hasCsvRows: csvRows[i]!.length > 0,
    totals: totalsOf[i] ?? [],
  }));
}

/** Rows of values, texts of their own, and texts joined to one. */
function readElements(
  family: Family,
  own: readonly Column[],
  joined: readonly Column[],
  columns: readonly Uint8Array[],
): Row[] {
  const values = valueColumns(family);
  if (columns.length !== values.length + own.length + 1) {
    throw new Error('another number of columns');
  }
  // The first value of each family is a number of eight bytes.
  const rows = columns[0]!.length / 8;
  const read = [...values, ...own].map(({ kind }, i) => readRows(columns[i]!, rows, kind));
  const texts = readRows(columns.at(-1)!, rows, 'text');
  return texts.map((text, row) => {
    const decoded: Record<string, Value> = {};
    for (const [i, { name }] of [...values, ...own].entries()) decoded[name] = read[i]![row]!;
    const parts = textsOf(String(text), joined.length);
    for (const [i, column] of joined.entries())
      decoded[column.name] = valueOf(column, parts[i] ?? '');
    return decoded;
  });
}

/** The texts of a row. Texts after the last one of its file are left out. */
function textsOf(joined: string, most: number): string[] {
  const texts = joined.split('\0');
  if (texts.length > most) throw new Error('another number of texts');
  return texts;
}

function readRows(bytes: Uint8Array, rows: number, kind: ValueKind): Value[] {
  switch (kind) {
    case 'count':
      return read(bytes, rows, (column) => column.bigUint());
    case 'amount':
      return read(bytes, rows, (column) => column.double());
    default:
      return read(bytes, rows, (column) => column.text());
  }
}

/** What a text stands for. */
function valueOf({ kind }: Column, text: string): Value {
  if (kind !== 'boolean') return text;
  return text === '' ? null : text === 'true';
}

function readTotals({ totals: { counts, columns } }: PreparedUpload): Total[] {
  if (columns.length === 0) return [];
  const count = counts.reduce((sum, each) => sum + each, 0);
  const [currencies, impressions, clicks, costs] = columns;
  const currency = read(currencies!, count, (column) => column.text());
  const shown = read(impressions!, count, (column) => column.bigUint());
  const clicked = read(clicks!, count, (column) => column.bigUint());
  const paid = read(costs!, count, (column) => column.double());
  return currency.map((each, i) => ({
    currency: each,
    impressions: shown[i]!,
    clicks: clicked[i]!,
    cost: paid[i]!,
  }));
}

function split<T>(items: readonly T[], counts: Uint32Array): T[][] {
  let at = 0;
  const parts = Array.from(counts, (count) => items.slice(at, (at += count)));
  if (at !== items.length) throw new Error('the counts are not those of the items');
  return parts;
}

function read<T>(bytes: Uint8Array, count: number, one: (reader: Reader) => T): T[] {
  const reader = new Reader(bytes);
  const values = Array.from({ length: count }, () => one(reader));
  if (!reader.isAtEnd) throw new Error('the column has bytes to spare');
  return values;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

class Reader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  uint(size: 1 | 2): number {
    return this.bytes.readUIntLE(this.move(size), size);
  }

  bigUint(): bigint {
    return this.bytes.readBigUInt64LE(this.move(8));
  }

  double(): number {
    return this.bytes.readDoubleLE(this.move(8));
  }

  /** Reads a LEB128 length, then UTF-8. */
  text(): string {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.uint(1);
      length += (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const from = this.move(length);
    return utf8.decode(this.bytes.subarray(from, this.at));
  }

  private move(size: number): number {
    const from = this.at;
    this.at += size;
    if (this.at > this.bytes.length) throw new Error('the column is too short');
    return from;
  }
}

function textOfDay(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
