import { BrokenRule, MAX_CODE_POINTS, RowFault } from './kernel/codes.js';
import { EVENT_SOURCES, type ValueKind } from '../domain/families/index.js';
import { textOfDay } from '../domain/days.js';

/**
 * What is wrong with a file: messages by column, bounded, as the request's `reason` gives them.
 *
 * Built on a Map because a column of a file may be called `__proto__`.
 */

export const FILE = 'file';

/** As many messages of a column are in the reason of a request. */
export const MESSAGES_A_COLUMN = 20;
/** Room for every column of a family and `file` stays free of unknown names. */
const MAX_UNKNOWN_COLUMNS = 26;
/**
 * Beyond it only the first message of a column is kept. A message has at most half a KiB, so with
 * one for each remaining column and the closing ones ("and 12 more") the reason stays below 64 KiB.
 */
const FULL_BYTES = 48 * 1024;

/** Called for every finding about a row; the header is row 1. */
export type FindingListener = (column: string, row: number, message: string) => void;

interface ColumnFindings {
  readonly messages: string[];
  unsaid: number;
}

export class Findings {
  private readonly columns = new Map<string, ColumnFindings>();
  /** Messages about the file as a whole that are given in any case. */
  private readonly certain: string[] = [];
  private bytes = 0;
  private unknownColumns = 0;
  private unknownUnsaid = 0;

  constructor(private readonly listener?: FindingListener) {}

  get any(): boolean {
    return this.columns.size > 0;
  }

  /** Whether a further message of the column would be kept. */
  private hasRoom(column: string): boolean {
    const known = this.columns.get(column);
    return (
      known === undefined || (known.messages.length < MESSAGES_A_COLUMN && this.bytes < FULL_BYTES)
    );
  }

  add(column: string, message: string): void {
    if (!this.hasRoom(column)) {
      this.of(column).unsaid++;
      return;
    }
    this.of(column).messages.push(message);
    this.bytes += bytesInJson(message);
  }

  /**
   * A finding about a row.
   *
   * @param row as a spreadsheet shows it: the header is row 1
   * @param text called only if the message is kept: a file may have a million findings
   */
  addOfRow(column: string, row: number, text: () => string): void {
    if (this.listener === undefined && !this.hasRoom(column)) {
      this.of(column).unsaid++;
      return;
    }
    const message = text();
    this.listener?.(column, row, message);
    this.add(column, `row ${row}: ${message}`);
  }

  /** A message about the file that is given in any case: without room in place of another one. */
  addForCertain(message: string): void {
    this.of(FILE);
    this.certain.push(message);
    this.bytes += bytesInJson(message);
  }

  /** A finding about a name in the header that is no column of the family. */
  addUnknownColumn(name: string, message: string): void {
    if (!this.columns.has(name)) {
      if (this.unknownColumns === MAX_UNKNOWN_COLUMNS) {
        this.unknownUnsaid++;
        return;
      }
      this.unknownColumns++;
    }
    this.add(name, message);
  }

  /** A JSON object from column name to messages, at most 50 keys and 64 KiB. */
  toReason(): string {
    if (this.unknownUnsaid > 0) {
      this.addForCertain(`row 1: ${this.unknownUnsaid} more column names are not allowed`);
    }
    const entries = [...this.columns].map(([name, { messages, unsaid }]) => {
      const certain = name === FILE ? this.certain : [];
      const said = messages.slice(0, MESSAGES_A_COLUMN - certain.length);
      const more = unsaid + messages.length - said.length;
      const all = [...said, ...certain, ...(more > 0 ? [`and ${more} more`] : [])];
      return `${JSON.stringify(name)}:${JSON.stringify(all)}`;
    });
    return `{${entries.join(',')}}`;
  }

  private of(column: string): ColumnFindings {
    let known = this.columns.get(column);
    if (known === undefined) {
      known = { messages: [], unsaid: 0 };
      this.columns.set(column, known);
      this.bytes += bytesInJson(column);
    }
    return known;
  }
}

const ENCODER = new TextEncoder();

function bytesInJson(text: string): number {
  return ENCODER.encode(JSON.stringify(text)).length;
}

/** The reason of a request that failed as a whole, for one cause. */
export function reasonOfFile(message: string): string {
  const findings = new Findings();
  findings.add(FILE, message);
  return findings.toReason();
}

/** The first and the last day that a self-serve file may name, as day counts. */
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

/** A sentence about a value: the value, and the rule that it breaks. */
export function brokenRuleText(
  value: Uint8Array,
  broken: BrokenRule,
  kind: ValueKind,
  window: DayWindow | undefined,
): string {
  return `"${excerptOf(value)}" ${ruleOf(broken, kind, window)}`;
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

/** The fault of a row's form, for a message. */
export function faultText(fault: RowFault): string {
  return ROW_FAULTS[fault];
}

/** The fault of a row whose width is not the header's, for a message. */
export function widthText(fields: number, width: number): string {
  return `has ${fields} field${fields === 1 ? '' : 's'}, the header has ${width}`;
}

const SHOWN_CODE_POINTS = 64;
/**
 * A code point has at most four bytes. One code point more than is shown tells whether something is
 * left out.
 */
const SHOWN_BYTES = 4 * (SHOWN_CODE_POINTS + 1);
/** A byte order mark within a file is part of its value. */
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * A value or a column name as messages give it: its first 64 code points, with an ellipsis where
 * something is left out. No more than that is decoded, because a field may be as long as the file.
 */
export function excerptOf(value: Uint8Array): string {
  return shortened(DECODER.decode(value.subarray(0, SHOWN_BYTES)));
}

/** The same for a text. */
export function shortened(text: string): string {
  // A code point has at most two code units.
  const points = Array.from(text.slice(0, 2 * (SHOWN_CODE_POINTS + 1)));
  if (points.length <= SHOWN_CODE_POINTS) return points.join('');
  return `${points.slice(0, SHOWN_CODE_POINTS).join('')}…`;
}
