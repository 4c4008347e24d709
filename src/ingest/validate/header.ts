import type { Family } from '../../domain/families/index.js';
import { FILE, type Findings } from './findings.js';
import { shown } from './shown.js';
import { hasWhitespaceAtEnds } from './text.js';

/** Where the family's columns stand in a file. */
export interface Header {
  /** How many fields each row must have. */
  readonly width: number;
  /** By the family's column: its place in the header, or -1. */
  readonly fieldOf: readonly number[];
}

/** Names beyond this many are counted, not looked at; no family has nearly as many columns. */
export const MAX_HEADER_FIELDS = 128;

/**
 * Checks the header: every required column once, optional ones at most once, any order, no others.
 *
 * @param fields how many fields the header has, of which `starts` and `ends` hold the first
 *   `MAX_HEADER_FIELDS`
 */
export function readHeader(
  family: Family,
  bytes: Uint8Array,
  starts: Int32Array,
  ends: Int32Array,
  fields: number,
  findings: Findings,
): Header {
  const places = new Map(family.columns.map((column, index) => [column.name, index]));
  const fieldOf = family.columns.map(() => -1);
  const looked = Math.min(fields, MAX_HEADER_FIELDS);
  for (let field = 0; field < looked; field++) {
    const start = starts[field]!;
    const end = ends[field]!;
    if (start === end) {
      findings.add(FILE, `row 1: column ${field + 1} has no name`);
      continue;
    }
    const name = shown(bytes.subarray(start, end));
    const index = places.get(name);
    if (index === undefined) {
      findings.addUnknownColumn(
        name,
        hasWhitespaceAtEnds(bytes, start, end)
          ? `row 1: "${name}" has whitespace at its beginning or end`
          : `row 1: "${name}" is not a column of a ${family.name} upload`,
      );
    } else if (fieldOf[index] !== -1) {
      findings.add(name, `row 1: "${name}" appears more than once`);
    } else {
      fieldOf[index] = field;
    }
  }
  if (fields > looked) {
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
