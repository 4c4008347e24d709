import { FAMILIES, type Family } from '../../domain/families/index.js';
import { Findings, reasonOfFile } from '../findings.js';
import type { ColumnSurvey } from './column-survey.js';
import { type Answers, type Change, type Detection, type Question, Tally } from './detection.js';
import { columnNamed, type FileSurvey, namesOf, surveyOf } from './file-survey.js';
import { type SeparatorName, SEPARATORS } from './separated-rows.js';
import type { Encoding, FileText } from './text-encoding.js';
import { type Form, FORM_WORDS, type ValueForms } from './value-forms.js';

/** A file that has been read, for whatever answers. */
export interface SurveyedFile extends FileText {
  readonly family: Family;
  readonly survey: FileSurvey;
}

/** How a file is to be converted. */
interface Plan {
  readonly detection: Detection;
  /** By place in the header, the form of the values; undefined: they stay. */
  readonly forms: readonly (Form | undefined)[];
}

/** What converting a file would change, and what has to be asked. */
export function detect(file: SurveyedFile, answers: Answers = {}): Detection {
  return planOf(file, answers).detection;
}

/** Reads a text as a file of the family, in time linear in its length. */
export function surveyed(file: FileText, family: Family): SurveyedFile {
  return { ...file, family, survey: surveyOf(family, file.text) };
}

/** The family whose own required columns a text has; undefined when that is none or several. */
export function familyOf(text: string): Family | undefined {
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

export function planOf(file: SurveyedFile, answers: Answers): Plan {
  const { family, encoding, undamaged, survey } = file;
  if (encoding === null) {
    return unreadable(file, 'the text is neither UTF-8 nor UTF-16 nor Windows-1252');
  }
  if (undamaged !== undefined) {
    // The row in which the damage stands: some other character takes its place.
    const row = surveyOf(family, `${undamaged}x`).rows + 1;
    return unreadable(file, `row ${row}: is not valid ${encoding}, the encoding of the file`);
  }
  const { separator, rows } = survey;
  const changes = changesOfFile(family, encoding, survey);
  const decided: Change[] = [];
  const questions = new Map<Question['asks'], Question>();
  const mistakes = new Findings();
  const forms = survey.columns.map((column) => {
    if (column === undefined) return undefined;
    const decision = column.decide(answers);
    switch (decision.kind) {
      case 'mistake':
        mistakes.addOfRow(column.name, decision.row, () => decision.message);
        return undefined;
      case 'question':
        if (!questions.has(column.values.asks)) {
          questions.set(column.values.asks, decision.question);
        }
        return undefined;
      case 'form':
        changes.push(...changesOfColumn(column, decision.form));
        decided.push(...decidedOfColumn(column, decision.form));
        return decision.form;
    }
  });
  const isForeign =
    changes.length > 0 || survey.columns.some((column) => (column?.foreign ?? 0) > 0);
  const detection: Detection = {
    rows,
    encoding,
    separator,
    changes,
    decided: changes.length > 0 ? decided : [],
    // Values by the rules may have another meaning too, but they are no reason to convert a file.
    questions: isForeign ? [...questions.values()] : [],
    reason: reasonIn([survey.findings, mistakes]),
  };
  return { detection, forms };
}

function unreadable({ encoding, survey }: SurveyedFile, message: string): Plan {
  const detection: Detection = {
    rows: survey.rows,
    encoding,
    separator: survey.separator,
    changes: [],
    decided: [],
    questions: [],
    reason: reasonOfFile(message),
  };
  return { detection, forms: [] };
}

/** One reason of findings about different columns; null: there are none. */
function reasonIn(all: readonly Findings[]): string | null {
  const entries = all
    .filter(({ any }) => any)
    .flatMap((findings) => {
      return Object.entries(JSON.parse(findings.toReason()) as Record<string, unknown>);
    });
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries));
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
  const text = changeText(form, values.asks);
  return [{ what: whatOf(values), column: name, text, ...listed(tally) }];
}

function decidedOfColumn(column: ColumnSurvey, form: Form): Change[] {
  const { name, values } = column;
  const by = column.decidedBy(form);
  if (by === undefined) return [];
  const text = `read as ${FORM_WORDS[form]} because of ${by}`;
  return [{ what: whatOf(values), column: name, text, ...listed(column.unclearIn(form)) }];
}

function whatOf({ asks }: ValueForms): Change['what'] {
  return asks === 'dates' ? 'dates' : 'numbers';
}

function changeText(form: Form, asks: Question['asks']): string {
  switch (asks) {
    case 'dates':
      return `${form} becomes YYYY-MM-DD`;
    case 'decimal':
      return 'written with a decimal point, without separators of thousands';
    case 'counts':
      return 'written with digits only';
  }
}

function listed({ count, examples }: Tally): Pick<Change, 'count' | 'examples'> {
  return { count, examples };
}
