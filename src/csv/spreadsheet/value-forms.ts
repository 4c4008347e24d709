import type { ValueKind } from '../../domain/families/index.js';

export type DateForm = 'DD.MM.YYYY' | 'MM/DD/YYYY' | 'DD/MM/YYYY';
/** What stands before the decimals of a number. */
export type DecimalMark = 'comma' | 'point';
export type Form = DateForm | DecimalMark;

export const DATE_FORMS: readonly DateForm[] = ['DD.MM.YYYY', 'MM/DD/YYYY', 'DD/MM/YYYY'];
export const DECIMAL_MARKS: readonly DecimalMark[] = ['comma', 'point'];

/** What a value in a form is, as a message says it: `"x" is not …`. */
export const FORM_WORDS: Readonly<Record<Form, string>> = {
  'DD.MM.YYYY': 'a date of the form DD.MM.YYYY',
  'MM/DD/YYYY': 'a date of the form MM/DD/YYYY',
  'DD/MM/YYYY': 'a date of the form DD/MM/YYYY',
  comma: 'a number with a decimal comma',
  point: 'a number with a decimal point',
};

/** The forms in which spreadsheets write the values of a column. */
export interface ValueForms {
  /** Which answer decides where the values do not. */
  readonly asks: 'dates' | 'decimal' | 'counts';
  readonly forms: readonly Form[];
  /**
   * What a value is in each form in which it can be read, as the rules want it; at least one.
   *
   * @returns undefined when it is the same in every form, as it stands, or cannot be read in any
   */
  readingsOf(value: string): ReadonlyMap<Form, string> | undefined;
}

const DATE = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/;

const DATES: ValueForms = {
  asks: 'dates',
  forms: DATE_FORMS,
  readingsOf: (value) => {
    const [, first, mark, second, year] = DATE.exec(value) ?? [];
    if (first === undefined || second === undefined || year === undefined) return undefined;
    const readings = new Map<Form, string>();
    const dayFirst = realDay(year, second, first);
    if (dayFirst !== undefined) readings.set(mark === '.' ? 'DD.MM.YYYY' : 'DD/MM/YYYY', dayFirst);
    const monthFirst = mark === '/' ? realDay(year, first, second) : undefined;
    if (monthFirst !== undefined) readings.set('MM/DD/YYYY', monthFirst);
    return readings.size > 0 ? readings : undefined;
  },
};

/** `YYYY-MM-DD`, if there is such a day. */
function realDay(year: string, month: string, day: string): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${text}T00:00:00Z`);
  // 30 February is refused by some engines, and is a day of March for others.
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isReal ? text : undefined;
}

interface NumberForm {
  readonly amount: RegExp;
  readonly count: RegExp;
  /** The number without separators of thousands, and with a decimal point. */
  readonly plain: (value: string) => string;
}

/**
 * Thousands are separated by the mark that is not the decimal one, by spaces or by apostrophes, the
 * same ones in the whole number. A number with an exponent has no such separators.
 */
const NUMBER_FORMS: Readonly<Record<DecimalMark, NumberForm>> = {
  comma: {
    amount:
      /^[+-]?(?:\d+(?:,\d+)?(?:[eE][+-]?\d+)?|[1-9]\d{0,2}([. '’\u00a0\u202f])\d{3}(?:\1\d{3})*(?:,\d+)?)$/,
    count: /^(?:\d+(?:,000)?|[1-9]\d{0,2}([. '’\u00a0\u202f])\d{3}(?:\1\d{3})*)$/,
    plain: (value) => value.replace(/[. '’\u00a0\u202f]/g, '').replace(',', '.'),
  },
  point: {
    amount:
      /^[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[1-9]\d{0,2}([, '’\u00a0\u202f])\d{3}(?:\1\d{3})*(?:\.\d+)?)$/,
    count: /^(?:\d+(?:\.000)?|[1-9]\d{0,2}([, '’\u00a0\u202f])\d{3}(?:\1\d{3})*)$/,
    plain: (value) => value.replace(/[, '’\u00a0\u202f]/g, ''),
  },
};

/** Counts are whole, so `1.234` is a thousand and more. `1.000` may be 1 with three decimals. */
const COUNTS = numbers('count', /^\d+$/, 'counts');
const AMOUNTS = numbers('amount', /^[+-]?\d+(?:[eE][+-]?\d+)?$/, 'decimal');

/** By kind of values. The others have one form only, that of the rules. */
export const VALUE_FORMS: Readonly<Partial<Record<ValueKind, ValueForms>>> = {
  date: DATES,
  count: COUNTS,
  amount: AMOUNTS,
};

/** @param plain matches the numbers that are the same in every form */
function numbers(kind: 'count' | 'amount', plain: RegExp, asks: ValueForms['asks']): ValueForms {
  return {
    asks,
    forms: DECIMAL_MARKS,
    readingsOf: (value) => {
      if (plain.test(value)) return undefined;
      const readings = new Map<Form, string>();
      for (const mark of DECIMAL_MARKS) {
        const form = NUMBER_FORMS[mark];
        if (!form[kind].test(value)) continue;
        const plain = form.plain(value);
        readings.set(mark, kind === 'count' ? plain.replace(/\.000$/, '') : plain);
      }
      return readings.size > 0 ? readings : undefined;
    },
  };
}
