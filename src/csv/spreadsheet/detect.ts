import { FAMILIES, type Family } from '../../domain/families/index.js';
import { isUtf8 } from '../csv-scanner.js';
import { reasonOfFile } from '../findings.js';
import type { ColumnSurvey } from './column-survey.js';
import { type Answers, type Change, type Detection, type Question, Tally } from './detection.js';
import { columnNamed, type FileSurvey, namesOf, surveyOf } from './file-survey.js';
import { type SeparatorName, SEPARATORS } from './separated-rows.js';
import { decodeText, type Encoding, encodingOf, isDamaged } from './text-encoding.js';
import type { Form } from './value-forms.js';

/** How a file is to be converted. */
interface Plan {
  readonly detection: Detection;
  /** Without byte order mark. */
  readonly text: string;
  readonly survey: FileSurvey;
  /** By place in the header, the form of the values; undefined: they stay. */
  readonly forms: readonly (Form | undefined)[];
}

/** What converting a file would change, and what has to be asked. */
export function detect(bytes: Uint8Array, family: Family, answers: Answers = {}): Detection {
  return planOf(bytes, family, answers).detection;
}

/** The family whose own required columns a file has; undefined when that is none or several. */
export function familyOf(bytes: Uint8Array): Family | undefined {
  const encoding = encodingOf(bytes, isUtf8(bytes));
  if (encoding === undefined) return undefined;
  const text = decodeText(bytes, encoding);
  const [found, ...others] = FAMILIES.filter((family) => {
    const own = family.columns.filter(({ name, required }) => required && !isOfOther(family, name));
    return Object.keys(SEPARATORS).some((separator) => {
      const names = namesOf(family, text, separator as SeparatorName);
      return own.some(({ name }) => names.includes(name));
    });
  });
  return others.length === 0 ? found : undefined;
}

function isOfOther(family: Family, name: string): boolean {
  return FAMILIES.some((other) => other !== family && columnNamed(other, name) !== undefined);
}

export function planOf(bytes: Uint8Array, family: Family, answers: Answers): Plan {
  const encoding = encodingOf(bytes, isUtf8(bytes));
  if (encoding === undefined) {
    return unreadable(family, null, 'the text is neither UTF-8 nor UTF-16 nor Windows-1252');
  }
  if (isDamaged(bytes, encoding)) {
    return unreadable(family, encoding, `the text is not valid ${encoding}`);
  }
  const text = decodeText(bytes, encoding);
  const survey = surveyOf(family, text);
  const { separator, rows, findings } = survey;
  const changes = changesOfFile(family, encoding, survey);
  const questions: Question[] = [];
  const forms = survey.columns.map((column) => {
    if (column === undefined) return undefined;
    const decision = column.decide(answers);
    switch (decision.kind) {
      case 'mistake':
        findings.addOfRow(column.name, decision.row, () => decision.message);
        return undefined;
      case 'question':
        questions.push(decision.question);
        return undefined;
      case 'form':
        changes.push(...changesOfColumn(column, decision.form));
        return decision.form;
    }
  });
  const reason = findings.any ? findings.toReason() : null;
  const detection = { rows, encoding, separator, changes, questions, reason };
  return { detection, text, survey, forms };
}

function unreadable(family: Family, encoding: Encoding | null, message: string): Plan {
  const survey = surveyOf(family, '');
  const detection: Detection = {
    rows: 0,
    encoding,
    separator: survey.separator,
    changes: [],
    questions: [],
    reason: reasonOfFile(message),
  };
  return { detection, text: '', survey, forms: [] };
}

function changesOfFile(family: Family, encoding: Encoding, survey: FileSurvey): Change[] {
  const { separator, header, rows, beyondAscii } = survey;
  const changes: Change[] = [];
  if (encoding !== 'UTF-8') {
    const text = `${encoding} becomes UTF-8`;
    changes.push({ what: 'encoding', column: null, text, ...listed(beyondAscii) });
  }
  if (separator !== 'comma') {
    const text = `${separator}s become commas`;
    changes.push({ what: 'separator', column: null, text, count: rows + 1, examples: [] });
  }
  const names = new Tally();
  for (const name of header) {
    const known = columnNamed(family, name);
    if (known !== undefined && known !== name) names.add(1, name, known);
  }
  if (names.count > 0) {
    const text = 'column names get lowercase letters';
    changes.push({ what: 'names', column: null, text, ...listed(names) });
  }
  return changes;
}

function changesOfColumn(column: ColumnSurvey, form: Form): Change[] {
  const { name, values } = column;
  const tally = column.changesIn(form);
  if (tally.count === 0) return [];
  const what = values.asks === 'dates' ? 'dates' : 'numbers';
  return [{ what, column: name, text: changeText(form, values.asks), ...listed(tally) }];
}

function changeText(form: Form, asks: ColumnSurvey['values']['asks']): string {
  if (asks === 'dates') return `${form} becomes YYYY-MM-DD`;
  const thousands = 'without separators of thousands';
  return asks === 'decimal' ? `written with a decimal point, ${thousands}` : `written ${thousands}`;
}

function listed({ count, examples }: Tally): Pick<Change, 'count' | 'examples'> {
  return { count, examples };
}
