import { shortened } from '../findings.js';
import type { SeparatorName } from './separated-rows.js';
import type { Encoding } from './text-encoding.js';
import type { DateForm, DecimalMark, Form } from './value-forms.js';

// What is found in a file. It passes between threads and is printed as JSON, so it is plain data.

/** What a person has said about a file. */
export interface Answers {
  readonly dates?: DateForm | undefined;
  readonly decimal?: DecimalMark | undefined;
  /** Of the counts that may have three decimals. */
  readonly counts?: DecimalMark | undefined;
}

export interface Detection {
  /** Rows of data. */
  readonly rows: number;
  /** null: none that is known. */
  readonly encoding: Encoding | null;
  readonly separator: SeparatorName;
  readonly changes: readonly Change[];
  /** By column, how values with several meanings are read because of another value. */
  readonly decided: readonly Change[];
  /**
   * What has to be answered before the file can be converted. Empty if nothing in the file is
   * other than the rules want it.
   */
  readonly questions: readonly Question[];
  /** Why the file cannot be converted, in the form of a request's reason; null: it can. */
  readonly reason: string | null;
}

/** Whether there is anything to convert in a file, if it can be converted. */
export function isForeign({ changes, questions }: Detection): boolean {
  return changes.length + questions.length > 0;
}

/** One thing that converting changes, or that it takes as decided. */
export interface Change {
  readonly what: 'encoding' | 'separator' | 'names' | 'dates' | 'numbers';
  /** null: the file as a whole. */
  readonly column: string | null;
  /** Such as `semicolons become commas`. */
  readonly text: string;
  /** How many values that are; of the separator, how many rows. */
  readonly count: number;
  readonly examples: readonly Example[];
}

/** Values of a column that have several meanings, and nothing in the column decides. */
export interface Question {
  readonly asks: keyof Answers;
  /** The first one that the answer is for. */
  readonly column: string;
  readonly options: readonly Option[];
}

interface Option {
  readonly form: Form;
  /** What it makes of the values; the same ones in every option. */
  readonly examples: readonly Example[];
}

/** A value before and after; both are cut as in messages. */
export interface Example {
  /** The header is row 1. */
  readonly row: number;
  /** null: it was not readable in UTF-8. */
  readonly before: string | null;
  readonly after: string;
}

const MOST_EXAMPLES = 3;

/** Counts values, and keeps the first as examples. */
export class Tally {
  count = 0;
  readonly examples: Example[] = [];

  add(row: number, before: string | null, after: string): void {
    this.count++;
    if (this.examples.length === MOST_EXAMPLES) return;
    this.examples.push({
      row,
      before: before === null ? null : shortened(before),
      after: shortened(after),
    });
  }
}
