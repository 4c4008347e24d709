/**
 * What an upload family is: its columns, its overwrite key and its limits.
 *
 * A family's column table is the source for the header check, the value rules, the encoder and the
 * documentation. The tables and views (`warehouse/schema`) repeat its names, and so does the encoder
 * where it finds combinations and sums totals. CONTRIBUTING.md lists what a new column changes.
 */

/** The path segment that names a family, and its value in records and tables. */
export type FamilyName = 'cost' | 'self-serve';

/**
 * The rule a column's values obey.
 *
 * - `date`: `YYYY-MM-DD`, a real day from 1970-01-01 to 2149-06-06.
 * - `text`: 1 to 256 code points.
 * - `channel`: text that is not the name of a channel with cost integration (cost only).
 * - `currency`: ISO 4217, uppercase. `country`: ISO 3166-1 alpha-2 or `xk`, lowercase.
 * - `count`: digits, 0 to 999,999,999,999. `amount`: a finite decimal number.
 * - `metric-name`: 1 to 256 of `[A-Za-z0-9]`. `event-source`: one of four words.
 * - `boolean`: `true` or `false`; stored as that text.
 */
export type ValueKind =
  | 'date'
  | 'text'
  | 'channel'
  | 'currency'
  | 'country'
  | 'count'
  | 'amount'
  | 'metric-name'
  | 'event-source'
  | 'boolean';

export interface Column {
  readonly name: string;
  readonly kind: ValueKind;
  readonly required: boolean;
  /** `key`: part of the overwrite key; `group-by`: a finer dimension; `metric`: what is summed. */
  readonly role: 'key' | 'group-by' | 'metric';
  /** Of a text: stored as an element of its own, because reports often ask for it. */
  readonly isOwn?: true;
}

/** A text column of a row that a file may leave out. */
export function optional(name: string, kind: ValueKind = 'text'): Column {
  return { name, kind, required: false, role: 'group-by' };
}

/** The same of a text that is stored as an element of its own. */
export function own(name: string, kind: ValueKind = 'text'): Column {
  return { ...optional(name, kind), isOwn: true };
}

export interface Family {
  readonly name: FamilyName;
  /** The storage table, and the stem of the views' names. */
  readonly table: 'cost' | 'self_serve';
  /**
   * In the order of the specification, which is that of the views' columns. Texts are stored in the
   * order of `textColumns`, and found by their place in it. So a new text is not `isOwn`, and stands
   * behind the last one.
   */
  readonly columns: readonly Column[];
  /** Whether an optional column that is in the header may have blank values. */
  readonly optionalMayBeBlank: boolean;
  /** Most data rows of one file; undefined: bounded by its bytes alone. */
  readonly maxRows: number | undefined;
  /** How many days before the request's day the oldest accepted date lies; undefined: no window. */
  readonly dateWindowDays: number | undefined;
}

/** The columns of the overwrite key, in the order of the storage table's sorting key. */
export function keyColumns(family: Family): readonly Column[] {
  return family.columns.filter((column) => column.role === 'key');
}

/** The columns outside the key. */
export function rowColumns(family: Family): readonly Column[] {
  return family.columns.filter((column) => column.role !== 'key');
}

const VALUE_KINDS: readonly ValueKind[] = ['count', 'amount'];

/**
 * The columns of a row that are not texts, in the order of the stored tuple, which begins with
 * them.
 */
export function valueColumns(family: Family): readonly Column[] {
  return rowColumns(family).filter(({ kind }) => VALUE_KINDS.includes(kind));
}

/** The text columns of a row that are stored as elements of their own. */
export function ownTexts(family: Family): readonly Column[] {
  return rowColumns(family).filter(({ isOwn }) => isOwn === true);
}

/** The other text columns of a row, in the order in which they are joined to one element. */
export function joinedTexts(family: Family): readonly Column[] {
  const texts = rowColumns(family).filter(({ kind }) => !VALUE_KINDS.includes(kind));
  return texts.filter(({ isOwn }) => isOwn !== true);
}

/** All text columns of a row, in the order in which they are joined for a stored CSV row. */
export function textColumns(family: Family): readonly Column[] {
  return [...ownTexts(family), ...joinedTexts(family)];
}
