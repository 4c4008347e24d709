import { BrokenRule, MAX_CODE_POINTS, RowFault } from './kernel/codes.js';
import { EVENT_SOURCES } from '../domain/families/event-sources.js';
import type { ValueKind } from '../domain/families/index.js';
import { textOfDay } from '../domain/days.js';

/** The days a self-serve file may name, both included, as day counts. */
export interface DayWindow {
  readonly first: number;
  readonly last: number;
}

/** What a value of a kind is, as a message says it: `"x" is not …`. */
const KIND_RULES: Readonly<Record<ValueKind, string>> = {
  date: 'a date of the form YYYY-MM-DD',
  text: 'text',
  channel: 'text',
  currency: 'an ISO 4217 currency code in uppercase',
  country: 'a two-letter country code in lowercase',
  count: 'a whole number from 0 to 999999999999, digits only',
  amount: 'a number such as 12, -3.5 or 1.5e3',
  'metric-name': `1 to ${MAX_CODE_POINTS} English letters and digits`,
  'event-source': `one of ${EVENT_SOURCES.join(', ')}`,
  boolean: 'true or false',
};

/** One plain sentence about a value: what it is, and the rule it breaks. */
export function messageOf(
  value: Uint8Array,
  broken: BrokenRule,
  kind: ValueKind,
  window: DayWindow | undefined,
): string {
  return `"${shown(value)}" ${ruleOf(broken, kind, window)}`;
}

function ruleOf(broken: BrokenRule, kind: ValueKind, window: DayWindow | undefined): string {
  switch (broken) {
    case BrokenRule.blank:
      return 'is blank, a value is required';
    case BrokenRule.whitespace:
      return 'has whitespace at its beginning or end';
    case BrokenRule.tooLong:
      return `is longer than ${MAX_CODE_POINTS} characters`;
    case BrokenRule.dateRange:
      return 'is outside 1970-01-01 to 2149-06-06';
    case BrokenRule.dateWindow:
      return window === undefined
        ? 'is outside the days that may be uploaded'
        : `is outside ${textOfDay(window.first)} to ${textOfDay(window.last)}`;
    case BrokenRule.integratedChannel:
      return 'is a channel with cost integration, its cost cannot be uploaded';
    default:
      return `is not ${KIND_RULES[kind]}`;
  }
}

const ROW_FAULTS: Readonly<Record<RowFault, string>> = {
  [RowFault.none]: '',
  [RowFault.strayQuote]: 'a quote stands inside a field that does not begin with one',
  [RowFault.textAfterQuote]: 'text follows the closing quote of a field',
  [RowFault.unclosedQuote]: 'a quoted field is not closed',
  [RowFault.bareCarriageReturn]: 'a carriage return stands without a line feed',
};

/** What is wrong with a row's form, in a message about it. */
export function faultText(fault: RowFault): string {
  return ROW_FAULTS[fault];
}

/** What is wrong with a row of another width than the header, in a message about it. */
export function widthText(fields: number, width: number): string {
  return `has ${fields} field${fields === 1 ? '' : 's'}, the header has ${width}`;
}

const SHOWN_CODE_POINTS = 64;
/** A code point takes at most four bytes; one more than is shown tells whether something is left out. */
const SHOWN_BYTES = 4 * (SHOWN_CODE_POINTS + 1);
/** A byte order mark within a file is part of its value. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * A value or a column name as messages give it: its first 64 code points, with an ellipsis where
 * something is left out. No more than that is decoded: a field may be as long as the file.
 */
export function shown(value: Uint8Array): string {
  const points = Array.from(UTF8.decode(value.subarray(0, SHOWN_BYTES)));
  if (points.length <= SHOWN_CODE_POINTS) return points.join('');
  return `${points.slice(0, SHOWN_CODE_POINTS).join('')}…`;
}
