import type { Family } from '../../domain/families/index.js';
import { FILE, faultText, Findings } from '../findings.js';
import { RowFault } from '../kernel/codes.js';
import { ColumnSurvey } from './column-survey.js';
import { Tally } from './detection.js';
import { rowsOf, type SeparatorName, SEPARATORS } from './separated-rows.js';
import { VALUE_FORMS } from './value-forms.js';

/** How a file's text is written. */
export interface FileSurvey {
  readonly separator: SeparatorName;
  /** The names as they stand in the header. */
  readonly header: readonly string[];
  /** By place in the header; undefined: the column has one form only, or is unknown. */
  readonly columns: readonly (ColumnSurvey | undefined)[];
  /** Rows of data. */
  readonly rows: number;
  /** The values that have other characters than those of ASCII. */
  readonly beyondAscii: Tally;
  /** The faults in the form of its rows. */
  readonly findings: Findings;
}

const BEYOND_ASCII = /[\u0080-\uffff]/;

/** Reads a text, in time linear in its length. */
export function surveyOf(family: Family, text: string): FileSurvey {
  const separator = separatorOf(family, text);
  const beyondAscii = new Tally();
  const findings = new Findings();
  let header: readonly string[] = [];
  let columns: FileSurvey['columns'] = [];
  let rows = 0;
  for (const { number, fields, fault } of rowsOf(text, separator)) {
    if (fault !== RowFault.none) findings.addOfRow(FILE, number, () => faultText(fault));
    for (const value of fields) {
      if (BEYOND_ASCII.test(value)) beyondAscii.add(number, null, value);
    }
    if (number === 1) {
      header = fields;
      columns = columnsOf(family, fields);
      continue;
    }
    rows++;
    // The values of other rows are not those of the columns above them.
    if (fields.length !== header.length) continue;
    for (const [field, column] of columns.entries()) column?.add(number, fields[field]!);
  }
  return { separator, header, columns, rows, beyondAscii, findings };
}

/** The family's name of a column, in whatever case it stands in a header. */
export function columnNamed(family: Family, name: string): string | undefined {
  const lower = name.toLowerCase();
  return family.columns.some((column) => column.name === lower) ? lower : undefined;
}

/** The names of the header, without those that are no column of the family. */
export function namesOf(family: Family, text: string, separator: SeparatorName): string[] {
  const [header] = rowsOf(text, separator);
  return (header?.fields ?? []).flatMap((name) => columnNamed(family, name) ?? []);
}

/** The separator by which the header has the most names of the family. */
function separatorOf(family: Family, text: string): SeparatorName {
  let best: SeparatorName = 'comma';
  let most = 0;
  for (const separator of Object.keys(SEPARATORS) as SeparatorName[]) {
    const names = namesOf(family, text, separator).length;
    if (names > most) [best, most] = [separator, names];
  }
  return best;
}

/** Of a name that is there twice, the first one counts, as in the check of the header. */
function columnsOf(family: Family, header: readonly string[]): FileSurvey['columns'] {
  const seen = new Set<string>();
  return header.map((text) => {
    const name = columnNamed(family, text);
    if (name === undefined || seen.has(name)) return undefined;
    seen.add(name);
    const forms = VALUE_FORMS[family.columns.find((column) => column.name === name)!.kind];
    return forms && new ColumnSurvey(name, forms);
  });
}
