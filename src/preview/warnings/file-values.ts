import { type Family, keyColumns, valueColumns } from '../../domain/families/index.js';
import { BLOCK_ROWS, CsvScanner, RowBlock } from '../../csv/csv-scanner.js';
import { withKernel } from '../../csv/kernel/kernel.js';
import { MAX_HEADER_FIELDS } from '../../csv/upload-columns.js';
import { RowList } from './warning.js';

/** Columns whose spelling is compared. */
export const SPELLED = ['channel', 'os_name'] as const;
type SpelledColumn = (typeof SPELLED)[number];

/** What a file's warnings are made of. A map that would have too many values is empty. */
export interface FileValues {
  /** By spelled column, by value: its rows. */
  readonly spelled: Readonly<Record<SpelledColumn, ReadonlyMap<string, RowsOf>>>;
  /** Of self-serve, by metric: its rows. */
  readonly metrics: ReadonlyMap<string, RowsOf>;
  /** By `groupOf` of day, channel and currency or metric: the sum of cost or event_value, its rows. */
  readonly totals: ReadonlyMap<string, DayTotal>;
  /** Of cost: each key, as `groupOf` of its columns, and its first row. */
  readonly keys: ReadonlyMap<string, number>;
  readonly days: ReadonlyMap<string, RowsOf>;
  /** Of cost: rows that agree with an earlier one on every group-by column. */
  readonly repeated: RowsOf;
  /** Of cost: rows of combinations of which every row is zero, and how many such combinations. */
  readonly deleted: RowsOf;
}

export type RowsOf = Pick<RowList, 'first' | 'count'>;

export interface DayTotal {
  amount: number;
  /** Whether it has rows other than deletions: rows of cost in which every number is zero. */
  hasData: boolean;
  readonly rows: RowsOf;
}

/** Several values as one. No value has a NUL. */
export function groupOf(...values: readonly string[]): string {
  return values.join('\0');
}

/** Nothing is said of a file with more values in a column. */
const MOST_VALUES = 10_000;

/** Values with something about each; empty once there are too many. */
class ValueMap<T> {
  readonly kept = new Map<string, T>();
  private isFull = false;

  constructor(private readonly make: () => T) {}

  /** Undefined: there are too many. */
  at(value: string): T | undefined {
    if (this.isFull) return undefined;
    let known = this.kept.get(value);
    if (known !== undefined) return known;
    if (this.kept.size === MOST_VALUES) {
      this.isFull = true;
      this.kept.clear();
      return undefined;
    }
    this.kept.set(value, (known = this.make()));
    return known;
  }
}

const lists = (): ValueMap<RowList> => new ValueMap(() => new RowList());

/** @param parts a valid file of the family */
export function valuesOf(family: Family, parts: readonly Uint8Array[]): FileValues {
  const spelled = { channel: lists(), os_name: lists() };
  const [days, metrics] = [lists(), lists()];
  const totals = new ValueMap(() => ({ amount: 0, hasData: false, rows: new RowList() }));
  // A cost file has at most 10,000 rows.
  const keys = new Map<string, number>();
  // By combination: its rows as long as all of them are zero.
  const combinations = new Map<string, RowList | undefined>();
  const repeated = new RowList();
  const isCost = family.name === 'cost';
  const measures = new Set(valueColumns(family).map(({ name }) => name));
  const keyNames = keyColumns(family).map(({ name }) => name);
  const [amountName, groupName] = isCost ? ['cost', 'currency'] : ['event_value', 'event_category'];
  const wanted = isCost
    ? family.columns.map(({ name }) => name)
    : [...keyNames, 'os_name', amountName];
  eachRow(parts, wanted, (row, value, values, names) => {
    const [day, channel] = [value('date'), value('channel')];
    days.at(day)?.add(row);
    for (const column of SPELLED) {
      if (value(column) !== '') spelled[column].at(value(column))?.add(row);
    }
    const total = totals.at(groupOf(day, channel, value(groupName)));
    const isDeletion = isCost && [...measures].every((name) => Number(value(name)) === 0);
    if (total !== undefined) {
      total.amount += Number(value(amountName));
      total.hasData ||= !isDeletion;
      total.rows.add(row);
    }
    if (!isCost) {
      metrics.at(value(groupName))?.add(row);
      return;
    }
    const key = groupOf(...keyNames.map(value));
    if (!keys.has(key)) keys.set(key, row);
    const combination = groupOf(...values.filter((_, index) => !measures.has(names[index]!)));
    if (combinations.has(combination)) repeated.add(row);
    else if (isDeletion) combinations.set(combination, new RowList());
    if (isDeletion) combinations.get(combination)?.add(row);
    else combinations.set(combination, undefined);
  });
  const deleted = [...combinations.values()].filter((rows) => rows !== undefined);
  return {
    spelled: { channel: spelled.channel.kept, os_name: spelled.os_name.kept },
    metrics: metrics.kept,
    totals: totals.kept,
    keys,
    days: days.kept,
    repeated,
    deleted: { first: RowList.of(deleted).first, count: deleted.length },
  };
}

/**
 * The text of a column in the row that was read last, while the memory stays as it is: the next row
 * often has the same.
 */
class LastText {
  private text = '';
  private start = 0;
  private end = 0;

  /** The text between two addresses. No view is made of it: that would cost more than the text. */
  at(memory: Buffer, start: number, end: number): string {
    if (!this.isSame(memory, start, end)) {
      this.text = memory.toString('utf8', start, end);
      this.start = start;
      this.end = end;
    }
    return this.text;
  }

  /** From the end, where numbered names and days differ. */
  private isSame(memory: Buffer, start: number, end: number): boolean {
    if (end - start !== this.end - this.start) return false;
    for (let at = end - 1, last = this.end - 1; at >= start; at--, last--) {
      if (memory[at] !== memory[last]) return false;
    }
    return true;
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/**
 * Reads the wanted columns of every row of a valid file.
 *
 * @param take the row as a spreadsheet shows it, a column's value (blank if the file has it not), and
 * the values of the wanted columns that it has, with their names
 */
function eachRow(
  parts: readonly Uint8Array[],
  wanted: readonly string[],
  take: (
    row: number,
    value: (name: string) => string,
    values: readonly string[],
    names: readonly string[],
  ) => void,
): void {
  withKernel((kernel) => {
    const scanner = new CsvScanner(kernel, MAX_HEADER_FIELDS);
    scanner.open(parts);
    const width = scanner.next();
    const header = scanner.values().map((name) => bufferOf(name).toString('utf8'));
    const fields = [...header.keys()].filter((field) => wanted.includes(header[field]!));
    const names = fields.map((field) => header[field]!);
    const places = new Map(names.map((name, index) => [name, index]));
    const block = new RowBlock(kernel, width);
    let next = 2;
    do {
      block.rows = 0;
      next += block.take(width, BLOCK_ROWS, next);
      const memory = bufferOf(kernel.view(0, kernel.memoryBytes));
      const { positions } = block;
      // What the kernel has in its memory is valid until it is called again.
      const texts = fields.map(() => new LastText());
      for (let row = 0; row < block.rows; row++) {
        const values = fields.map((field, index) => {
          const at = row * width + field;
          return texts[index]!.at(memory, positions.starts[at]!, positions.ends[at]!);
        });
        const value = (name: string): string => values[places.get(name) ?? -1] ?? '';
        take(block.rowNumbers[row]!, value, values, names);
      }
    } while (block.rows > 0);
  });
}
