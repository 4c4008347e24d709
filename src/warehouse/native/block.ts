import { identifier } from '../sql.js';
import type { NativeBlock } from '../warehouse.js';
import { STRING, varint, type ColumnType } from './column-types.js';

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
