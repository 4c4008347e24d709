import type { Family } from '../domain/families/index.js';
import { FILE, type Findings, shown } from './findings.js';

/** Where the family's columns stand in a file. */
export interface Header {
  /** How many fields each row must have. */
  readonly width: number;
  /** By the family's column: its place in the header, or -1. */
  readonly fieldOf: readonly number[];
}

/** Names beyond this many are counted, not looked at; no family has nearly as many columns. */
export const MAX_HEADER_FIELDS = 128;

const WHITESPACE_AT_ENDS = /^\p{White_Space}|\p{White_Space}$/u;
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Checks the header: every required column once, optional ones at most once, any order, no others.
 *
 * @param names the header's first `MAX_HEADER_FIELDS` fields
 * @param fields how many there are in all
 */
export function readHeader(
  family: Family,
  names: readonly Uint8Array[],
  fields: number,
  findings: Findings,
): Header {
  const places = new Map(family.columns.map((column, index) => [column.name, index]));
  const fieldOf = family.columns.map(() => -1);
  names.forEach((bytes, field) => {
    if (bytes.length === 0) {
      findings.add(FILE, `row 1: column ${field + 1} has no name`);
      return;
    }
    const name = shown(bytes);
    const index = places.get(name);
    if (index === undefined) {
      findings.addUnknownColumn(
        name,
        WHITESPACE_AT_ENDS.test(UTF8.decode(bytes))
          ? `row 1: "${name}" has whitespace at its beginning or end`
          : `row 1: "${name}" is not a column of a ${family.name} upload`,
      );
    } else if (fieldOf[index] !== -1) {
      findings.add(name, `row 1: "${name}" appears more than once`);
    } else {
      fieldOf[index] = field;
    }
  });
  if (fields > names.length) {
    findings.add(
      FILE,
      `row 1: has ${fields} columns, at most ${family.columns.length} are possible`,
    );
  }
  family.columns.forEach((column, index) => {
    if (column.required && fieldOf[index] === -1) {
      findings.add(column.name, 'row 1: the required column is missing');
    }
  });
  return { width: fields, fieldOf };
}
