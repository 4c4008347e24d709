import { EVENT_SOURCES } from '../../domain/families/event-sources.js';
import type { ValueKind } from '../../domain/families/index.js';
import { textOfDay } from '../../domain/days.js';
import { shown } from './shown.js';
import * as BROKEN from './broken.js';

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
  'metric-name': `1 to ${BROKEN.MAX_CODE_POINTS} English letters and digits`,
  'event-source': `one of ${EVENT_SOURCES.join(', ')}`,
  boolean: 'true or false',
};

/** One plain sentence about a value: what it is, and the rule it breaks. */
export function messageOf(
  value: Uint8Array,
  broken: number,
  kind: ValueKind,
  window: DayWindow | undefined,
): string {
  return `"${shown(value)}" ${ruleOf(broken, kind, window)}`;
}

function ruleOf(broken: number, kind: ValueKind, window: DayWindow | undefined): string {
  switch (broken) {
    case BROKEN.blank:
      return 'is blank, a value is required';
    case BROKEN.whitespace:
      return 'has whitespace at its beginning or end';
    case BROKEN.tooLong:
      return `is longer than ${BROKEN.MAX_CODE_POINTS} characters`;
    case BROKEN.dateRange:
      return 'is outside 1970-01-01 to 2149-06-06';
    case BROKEN.dateWindow:
      return window === undefined
        ? 'is outside the days that may be uploaded'
        : `is outside ${textOfDay(window.first)} to ${textOfDay(window.last)}`;
    case BROKEN.integratedChannel:
      return 'is a channel with cost integration, its cost cannot be uploaded';
    default:
      return `is not ${KIND_RULES[kind]}`;
  }
}
