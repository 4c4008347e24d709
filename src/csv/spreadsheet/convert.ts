import type { ColumnSurvey } from './column-survey.js';
import type { Answers } from './detection.js';
import { planOf, type SurveyedFile } from './detect.js';
import { columnNamed } from './file-survey.js';
import { rowsOf } from './separated-rows.js';
import type { Form } from './value-forms.js';

/** As many are strings at a time. */
const ROWS_A_PIECE = 4096;

/**
 * The file in the form of the rules: UTF-8, commas, and what `detect` lists with the same answers.
 * Rows, their order and all other values stay as they are, also where they are wrong.
 *
 * @returns the file in pieces that follow one another
 * @throws Error when `detect` has a question or a reason
 */
export function convert(file: SurveyedFile, answers: Answers = {}): Uint8Array<ArrayBuffer>[] {
  const { family, text, survey } = file;
  const { detection, forms } = planOf(file, answers);
  if (detection.reason !== null || detection.questions.length > 0) {
    throw new Error('the file cannot be converted with these answers');
  }
  const encoder = new TextEncoder();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let lines: string[] = [];
  const { separator, header, columns } = survey;
  for (const { number, fields } of rowsOf(text, separator)) {
    if (number === 1) lines.push(lineOf(fields.map((name) => columnNamed(family, name) ?? name)));
    else if (fields.length !== header.length) lines.push(lineOf(fields));
    else lines.push(lineOf(fields.map((value, i) => converted(value, columns[i], forms[i]))));
    if (lines.length < ROWS_A_PIECE) continue;
    pieces.push(encoder.encode(lines.join('')));
    lines = [];
  }
  if (lines.length > 0) pieces.push(encoder.encode(lines.join('')));
  return pieces;
}

/** The name of the converted file beside a file: `costs.converted.csv` for `costs.csv`. */
export function convertedName(name: string): string {
  return `${name.replace(/(?:\.(?:csv|tsv|txt))?(?:\.gz)?$/i, '')}.converted.csv`;
}

function converted(
  value: string,
  column: ColumnSurvey | undefined,
  form: Form | undefined,
): string {
  if (column === undefined || form === undefined) return value;
  return column.values.readingsOf(value)?.get(form) ?? value;
}

function lineOf(values: readonly string[]): string {
  // An empty line at the end of the file would be no row.
  if (values.length === 1 && values[0] === '') return '""\n';
  return `${values.map(quoted).join(',')}\n`;
}

export function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
