import { identifier } from '../sql.js';
import type { NativeBlock } from '../warehouse.js';

/** One column of a block. Its parts follow one another and are never copied. */
export interface NativeColumn {
  readonly name: string;
  /** As the engine spells it. Plain `String` also for a `LowCardinality(String)` column. */
  readonly type: string;
  readonly parts: readonly Uint8Array[];
}

/** A column of values of one type. */
export function column<T>(name: string, type: ColumnType<T>, values: readonly T[]): NativeColumn {
  return { name, type: type.name, parts: [type.write(values)] };
}

/** Makes columns that have one value of each item. */
export function columnsOf<Item>(items: readonly Item[]) {
  return <T>(name: string, type: ColumnType<T>, value: (item: Item) => T): NativeColumn =>
    column(name, type, items.map(value));
}

/** A block of columns that have `rows` values each. The columns' parts become the block's parts. */
export function blockOf(columns: readonly NativeColumn[], rows: number): NativeBlock {
  const parts: Uint8Array[] = [];
  let header: Uint8Array[] = [varint(columns.length), varint(rows)];
  for (const { name, type, parts: data } of columns) {
    header.push(STRING.write([name, type]));
    parts.push(Buffer.concat(header));
    // Not spread: a batch of thousands of small uploads has more parts than a call takes arguments.
    for (const part of data) parts.push(part);
    header = [];
  }
  return { rows, columns: columns.map(({ name, type }) => ({ name, type })), parts };
}

/** Names and types of a block's columns, as a table's definition has them. */
export function structureOf(columns: NativeBlock['columns']): string {
  return columns.map(({ name, type }) => `${identifier(name)} ${type}`).join(', ');
}

/**
 * Column types of the Native format: how an array of values becomes a column's bytes.
 *
 * For tables of few columns and rows; the blocks of uploads are built from bytes. All integers are
 * little-endian. A value outside its type's range is a RangeError of the caller.
 */
export interface ColumnType<T> {
  /** As the engine spells it, for the block's header. */
  readonly name: string;
  /** The value written for a NULL. */
  readonly blank: T;
  write(values: readonly T[]): Uint8Array;
}

export const STRING: ColumnType<string> = {
  name: 'String',
  blank: '',
  write(values) {
    const parts: Uint8Array[] = [];
    for (const value of values) {
      const bytes = Buffer.from(value, 'utf8');
      parts.push(varint(bytes.length), bytes);
    }
    return Buffer.concat(parts);
  },
};

export const UINT16 = fixed<number>('UInt16', 2, 0, (view, at, value) =>
  view.writeUInt16LE(value, at),
);
export const UINT32 = fixed<number>('UInt32', 4, 0, (view, at, value) =>
  view.writeUInt32LE(value, at),
);
export const UINT64 = fixed<number | bigint>('UInt64', 8, 0, (view, at, value) =>
  view.writeBigUInt64LE(BigInt(value), at),
);
export const UINT128 = fixed<bigint>('UInt128', 16, 0n, (view, at, value) => {
  view.writeBigUInt64LE(value & 0xffff_ffff_ffff_ffffn, at);
  view.writeBigUInt64LE(value >> 64n, at + 8);
});
export const BOOL = fixed<boolean>('Bool', 1, false, (view, at, value) =>
  view.writeUInt8(value ? 1 : 0, at),
);
/** Seconds since the epoch. */
export const DATE_TIME = fixed<number>("DateTime('UTC')", 4, 0, (view, at, value) =>
  view.writeUInt32LE(value, at),
);
/** Milliseconds since the epoch. */
export const DATE_TIME_MS = fixed<number>("DateTime64(3, 'UTC')", 8, 0, (view, at, value) =>
  view.writeBigInt64LE(BigInt(value), at),
);
/** Two 64-bit numbers, the upper half of the text first. */
export const UUID = fixed<string>(
  'UUID',
  16,
  '00000000-0000-0000-0000-000000000000',
  (view, at, value) => {
    const hex = value.replaceAll('-', '');
    if (!/^[0-9a-f]{32}$/i.test(hex)) throw new RangeError('not a UUID');
    view.writeBigUInt64LE(BigInt(`0x${hex.slice(0, 16)}`), at);
    view.writeBigUInt64LE(BigInt(`0x${hex.slice(16)}`), at + 8);
  },
);

/** One byte a value that says whether it is NULL, then the values. */
export function nullable<T>(inner: ColumnType<T>): ColumnType<T | null> {
  return {
    name: `Nullable(${inner.name})`,
    blank: null,
    write(values) {
      const nulls = Uint8Array.from(values, (value) => (value === null ? 1 : 0));
      return Buffer.concat([nulls, inner.write(values.map((value) => value ?? inner.blank))]);
    },
  };
}

/** LEB128, the format's length prefix. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

function fixed<T>(
  name: string,
  size: number,
  blank: T,
  put: (view: Buffer, at: number, value: T) => void,
): ColumnType<T> {
  return {
    name,
    blank,
    write(values) {
      const bytes = Buffer.alloc(values.length * size);
      values.forEach((value, index) => {
        put(bytes, index * size, value);
      });
      return bytes;
    },
  };
}
