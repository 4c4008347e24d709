import type { Change, Detection, Example, Question } from '../../csv/spreadsheet/detection.js';
import type { Form } from '../../csv/spreadsheet/value-forms.js';
import type { FamilyName } from '../../domain/families/index.js';
import { textOfLines } from './terminal.js';
import type { Judgement } from './validate/judge.js';

/** What is known of a file that is to be converted. */
interface Found {
  readonly name: string;
  readonly family: FamilyName;
  /** Where the converted file is to go. */
  readonly output: string;
  /** Whether it is written even when nothing changes. */
  readonly isOutputGiven: boolean;
  readonly detection: Detection;
  /** Of the converted file, or of the file itself if nothing changes; undefined: not made yet. */
  readonly judgement: Judgement | undefined;
}

/** The result of the command as JSON. */
export function foundResult(found: Found): object {
  const { name, family, output, isOutputGiven, detection, judgement } = found;
  const { rows, encoding, separator, changes, decided, questions } = detection;
  const isValid = judgement === undefined ? null : !judgement.problems.any;
  return {
    file: name,
    family,
    rows,
    encoding,
    separator,
    changes,
    decided,
    questions,
    isValid,
    wrongRows: judgement?.wrongRows ?? null,
    reason: reasonOf(found),
    output: isValid === true && (changes.length > 0 || isOutputGiven) ? output : null,
  };
}

/** The same as lines for people. */
export function foundText(found: Found): string {
  const { detection, judgement } = found;
  // Once there is a converted file, they have been answered.
  const questions = judgement === undefined ? detection.questions : [];
  const lines = [
    `${found.name}: ${detection.rows} rows, ${stateText(found)}`,
    ...[...detection.changes, ...detection.decided].map((change) => `  ${changeText(change)}`),
    ...questions.map((question) => `  ${questionText(question)}`),
    ...Object.entries(reasonOf(found)).flatMap(([column, messages]) => [
      `  ${column}`,
      ...messages.map((message) => `    ${message}`),
    ]),
  ];
  return textOfLines(lines);
}

/** By column what is wrong; empty when nothing is. */
function reasonOf({ detection, judgement }: Found): Record<string, readonly string[]> {
  if (judgement !== undefined) return judgement.problems.byColumn();
  return JSON.parse(detection.reason ?? '{}') as Record<string, readonly string[]>;
}

function stateText({ detection, judgement }: Found): string {
  const { changes, reason } = detection;
  if (reason !== null) return 'cannot be converted';
  if (judgement === undefined) return 'ambiguous';
  const { problems, wrongRows } = judgement;
  const wrong = `${wrongRows} of them wrong`;
  if (changes.length === 0) return problems.any ? `${wrong}, nothing to convert` : 'valid as it is';
  return problems.any ? `${wrong} once converted` : 'valid once converted';
}

function changeText({ column, text, count, examples, what }: Change): string {
  const shown = examples.map((example) => exampleText(example, what === 'names'));
  const more = count - examples.length;
  if (shown.length > 0 && more > 0) shown.push(`and ${more} more`);
  const label = column === null ? text : `${column}: ${text}`;
  return shown.length === 0 ? label : `${label}: ${shown.join(', ')}`;
}

function exampleText({ row, before, after }: Example, isName: boolean): string {
  // What is shown for its letters may be any text.
  const text = before === null ? JSON.stringify(after) : `${before} -> ${after}`;
  return isName ? text : `${text} (row ${row})`;
}

/** A question about a column, with what each answer makes of a value. */
export function questionText({ column, options }: Question): string {
  const meanings = options.map(({ form, examples: [example] }) => {
    return `${example!.after} ${formText(form)}`;
  });
  const { row, before } = options[0]!.examples[0]!;
  return `${column}: ${before ?? ''} (row ${row}) is ${meanings.join(', ')}`;
}

function formText(form: Form): string {
  return form === 'comma' || form === 'point' ? `with a decimal ${form}` : `as ${form}`;
}

/** The options of the command that answer the questions. */
export function optionsText(questions: readonly Question[]): string {
  return questions
    .map(({ asks, options }) => options.map(({ form }) => `--${asks} ${form}`).join(' or '))
    .join(', and ');
}
