import type { Answers, Detection, Question } from '../../csv/spreadsheet/detection.js';
import { FORM_WORDS } from '../../csv/spreadsheet/value-forms.js';
import type { FamilyName } from '../../domain/families/index.js';
import type { CheckAnswer } from './check-messages.js';
import type { Checker } from './checker.js';
import { changesTable } from './changes-table.js';
import { announce, download, element } from './elements.js';
import { mistakesIn } from './texts.js';
import { type CardAction, mistakesTable, type UploadCard } from './upload-card.js';

/** What a conversion needs of the page. */
export interface ConversionPage {
  readonly checker: Checker;
  /** The account's, by its IANA name. */
  timeZone(): string;
}

/** A question on the card. */
interface Choice {
  readonly question: Question;
  readonly box: HTMLFieldSetElement;
  readonly radios: readonly HTMLInputElement[];
  readonly error: HTMLElement;
}

let choices = 0;

/** Converts a file as a spreadsheet has saved it, when its user says so. */
export class FileConversion {
  /** The chosen file, or what was made of it here. */
  file: File;
  /** Whether the file would not be valid once converted. */
  hasFailed = false;
  private detection: Detection | null = null;
  private choices: readonly Choice[] = [];

  /** @param checked is called with the answer about the converted file */
  constructor(
    private readonly chosen: File,
    private readonly family: FamilyName,
    private readonly card: UploadCard,
    private readonly page: ConversionPage,
    private readonly checked: (answer: CheckAnswer) => void,
  ) {
    this.file = chosen;
  }

  private get isConverted(): boolean {
    return this.file !== this.chosen;
  }

  /** Shows what would change and what has to be answered; null: nothing. */
  offer(detection: Detection | null): void {
    const { name } = this.chosen;
    this.detection = detection;
    this.choices = (detection?.questions ?? []).map(choiceOf);
    if (detection === null) {
      this.card.showConversion();
      return;
    }
    const { changes, decided, reason } = detection;
    const isPossible = reason === null;
    const text = isPossible
      ? 'This file looks as spreadsheets save files. It can be converted here.'
      : 'This file looks as spreadsheets save files, but it cannot be converted.';
    this.card.showConversion(
      element('p', {}, text),
      ...(changes.length > 0 ? [changesTable(name, [...changes, ...decided])] : []),
      ...(isPossible
        ? this.choices.map(({ box }) => box)
        : [mistakesTable(`Why ${name} cannot be converted`, mistakesIn(reason))]),
    );
    announce(`${name}: ${text}`);
  }

  /** What is to be said of a valid file. */
  notes(): string[] {
    return this.isConverted ? ['Converted here. The file that you chose stays as it is.'] : [];
  }

  /** What the user can do about it. */
  actions(): CardAction[] {
    if (this.isConverted) {
      const act = (): void => {
        download(this.file, this.file.name);
        announce(`Downloaded ${this.file.name}`);
      };
      return [{ label: 'Download the converted file', act }];
    }
    if (this.detection?.reason !== null) return [];
    return [{ label: 'Convert', act: () => void this.convert(), isPrimary: true }];
  }

  private async convert(): Promise<void> {
    const { chosen: file, family, card, page, detection } = this;
    const answers = this.answers();
    if (answers === undefined) return;
    card.say('Being converted here', 'busy');
    card.offer([]);
    const task = { file, family, timeZone: page.timeZone(), convert: answers };
    const answer = await page.checker.ask(task);
    this.offer(null);
    if (answer.kind !== 'converted') {
      this.checked(answer);
      return;
    }
    const { checked, file: made } = answer;
    this.hasFailed = checked.reason !== null;
    if (!this.hasFailed) this.file = made;
    announce(`${file.name} was ${this.hasFailed ? 'not ' : ''}converted`);
    // One of the answers may be what is wrong.
    const isToAnswer = this.hasFailed && detection !== null && detection.questions.length > 0;
    this.checked({ ...checked, detection: isToAnswer ? detection : null });
  }

  /** What was chosen; undefined: something was not, which the user is told. */
  private answers(): Answers | undefined {
    let answers: Answers = {};
    for (const { question, radios, error } of this.choices) {
      const option = question.options[radios.findIndex(({ checked }) => checked)];
      error.textContent = option === undefined ? 'Choose one of these first.' : '';
      if (option === undefined) {
        radios[0]?.focus();
        return undefined;
      }
      answers = { ...answers, [question.asks]: option.form };
    }
    return answers;
  }
}

/** Radio buttons, each with what it makes of the first value. */
function choiceOf(question: Question): Choice {
  const name = `choice-${choices++}`;
  const error = element('p', { class: 'error', id: `${name}-error` });
  const [first] = question.options[0]?.examples ?? [];
  const value = `${first?.before ?? ''} (row ${first?.row ?? 0})`;
  const radios = question.options.map(({ form }) =>
    element('input', { type: 'radio', name, value: form }),
  );
  const labels = question.options.map(({ form, examples }, i) => {
    const text = `${FORM_WORDS[form]}: ${examples[0]?.after ?? ''}`;
    return element('label', { class: 'choice' }, radios[i]!, element('span', {}, text));
  });
  const box = element(
    'fieldset',
    { 'aria-describedby': error.id },
    element('legend', {}, `In the column ${question.column}, ${value} is`),
    ...labels,
    error,
  );
  return { question, box, radios, error };
}
