import { shortened } from '../findings.js';
import { type Answers, type Question, Tally } from './detection.js';
import { type Form, FORM_WORDS, type ValueForms } from './value-forms.js';

/** In which form a column is, or why that is not known. */
type Decision =
  | { readonly kind: 'form'; readonly form: Form }
  | { readonly kind: 'question'; readonly question: Question }
  | { readonly kind: 'mistake'; readonly row: number; readonly message: string };

interface Place {
  readonly row: number;
  readonly value: string;
}

/** The forms in which the values of one column can be read. */
export class ColumnSurvey {
  /** How many values are not as the rules want them, but can be read. */
  foreign = 0;
  /** By form, the first value that cannot be read in it but in another one. */
  private readonly excluded = new Map<Form, Place>();
  /** By form, what reading in it changes. */
  private readonly changes: ReadonlyMap<Form, Tally>;
  /** By form, what it makes of the values that are something else in another one. */
  private readonly unclear: ReadonlyMap<Form, Tally>;
  private conflict: { readonly first: Place; readonly second: Place } | undefined;

  constructor(
    readonly name: string,
    readonly values: ValueForms,
  ) {
    this.changes = new Map(values.forms.map((form) => [form, new Tally()]));
    this.unclear = new Map(values.forms.map((form) => [form, new Tally()]));
  }

  /** The forms in which every value so far can be read, unless it can be read in none. */
  get possible(): readonly Form[] {
    return this.values.forms.filter((form) => !this.excluded.has(form));
  }

  /** What the column's values are changed to in this form. */
  changesIn(form: Form): Tally {
    return this.changes.get(form)!;
  }

  add(row: number, value: string): void {
    const readings = this.values.readingsOf(value);
    if (readings === undefined) return;
    const texts = new Set(readings.values());
    if (!texts.has(value)) this.foreign++;
    for (const [form, text] of readings) {
      if (text !== value) this.changesIn(form).add(row, value, text);
      if (texts.size > 1) this.unclearIn(form).add(row, value, text);
    }
    if (readings.size < this.values.forms.length) this.exclude(readings, { row, value });
  }

  /** The form that the values or the answers decide for. */
  decide(answers: Answers): Decision {
    const { conflict, values, possible } = this;
    if (conflict !== undefined) {
      const { first, second } = conflict;
      const other = `${quoted(first)} in row ${first.row}`;
      const message = `${quoted(second)} contradicts ${other}: no form fits both`;
      return { kind: 'mistake', row: second.row, message };
    }
    const [form] = possible;
    const isOpen = possible.length > 1 && this.unclearIn(form!).count > 0;
    const answer = answers[values.asks];
    // That for counts is for several columns, so for those only that do not decide.
    if (answer !== undefined && (isOpen || values.asks !== 'counts')) {
      const other = this.excluded.get(answer);
      if (other === undefined) return { kind: 'form', form: answer };
      const message = `${quoted(other)} is not ${FORM_WORDS[answer]}`;
      return { kind: 'mistake', row: other.row, message };
    }
    if (isOpen) return { kind: 'question', question: this.question() };
    return { kind: 'form', form: form! };
  }

  /** What values that have several meanings are in this form. */
  unclearIn(form: Form): Tally {
    return this.unclear.get(form)!;
  }

  /** The value that excludes the other meaning of such values, as messages say it. */
  decidedBy(form: Form): string | undefined {
    const other = this.values.forms.find((each) => each !== form && this.unclearIn(each).count > 0);
    const place = other === undefined ? undefined : this.excluded.get(other);
    return place === undefined ? undefined : `${quoted(place)} in row ${place.row}`;
  }

  private exclude(readings: ReadonlyMap<Form, string>, place: Place): void {
    for (const form of this.values.forms) {
      if (!readings.has(form) && !this.excluded.has(form)) this.excluded.set(form, place);
    }
    if (this.conflict !== undefined || this.possible.length > 0) return;
    // An earlier value has excluded each form of this one.
    const form = this.values.forms.find((each) => readings.has(each))!;
    this.conflict = { first: this.excluded.get(form)!, second: place };
  }

  private question(): Question {
    const options = this.possible.map((form) => ({
      form,
      examples: this.unclearIn(form).examples,
    }));
    return { asks: this.values.asks, column: this.name, options };
  }
}

function quoted({ value }: Place): string {
  return `"${shortened(value)}"`;
}
