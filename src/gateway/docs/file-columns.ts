import {
  EVENT_SOURCES,
  FAMILIES,
  type Family,
  keyColumns,
  type ValueKind,
} from '../../domain/families/index.js';
import { MAX_FILE_BYTES, MAX_UNPACKED_COST_BYTES } from '../../domain/upload-limits.js';

/** The rule of each kind of values, as docs/upload-rules.md has it. */
export const RULES: Readonly<Record<ValueKind, string>> = {
  date: '`YYYY-MM-DD`, a day that exists, within the dates above',
  text: '1 to 256 characters',
  channel: 'a text that is not the name of a channel with cost integration',
  currency:
    'an ISO 4217 code in uppercase, such as `EUR`: those of a country on 2026-01-01, and those retired since 2015',
  country: 'an ISO 3166-1 two-letter code in lowercase, such as `de` (as of 2026-01-01), or `xk`',
  count: 'digits only, 0 to 999999999999',
  amount:
    'a decimal number: `12`, `-3.5`, `1.5e3`. No thousands separators, no comma, no `.5` or `5.`. Negative amounts are allowed (refunds)',
  'metric-name': '1 to 256 English letters and digits',
  'event-source': listed(EVENT_SOURCES),
  boolean: '`true` or `false`',
};

const COMMON = `The CSV file (RFC 4180, UTF-8), with a filename, at most ${bytes(MAX_FILE_BYTES)} as it
is sent, plain or gzip. The first row names the columns, in any order: every required one once, optional
ones at most once, no others. No name and no value begins or ends with whitespace. A file is taken as a
whole or not at all: whether its rows are valid is told by reading the request.`;

/** What a file of each family has to be, as Markdown. */
export const FILE_DESCRIPTION = [COMMON, ...FAMILIES.map(familySection)].join('\n\n');

/** A valid value of each kind. */
const SAMPLES: Readonly<Record<ValueKind, string>> = {
  date: '2026-03-02',
  text: 'Spring sale',
  channel: 'newsletter',
  currency: 'EUR',
  country: 'de',
  count: '340',
  amount: '151.20',
  'metric-name': 'StoreVisits',
  'event-source': 'web',
  boolean: 'true',
};

/** A file of the family with its required columns and one row. */
export function exampleFile({ columns }: Family): string {
  const required = columns.filter((column) => column.required);
  const header = required.map(({ name }) => name).join(',');
  const row = required.map(({ kind }) => SAMPLES[kind]).join(',');
  return `${header}\n${row}\n`;
}

function familySection(family: Family): string {
  const { name, columns, optionalMayBeBlank, maxRows, dateWindowDays } = family;
  const limits = [
    maxRows === undefined
      ? 'As many rows as fit; unpacked at most 32 MiB, unless the operators have set another limit.'
      : `At most ${maxRows.toLocaleString('en')} rows of data and ${bytes(MAX_UNPACKED_COST_BYTES)} unpacked.`,
    dateWindowDays === undefined
      ? 'Dates from 1970-01-01 to 2149-06-06.'
      : `Dates from ${dateWindowDays} days before today to today, in the account's time zone.`,
    optionalMayBeBlank
      ? 'Optional values may be blank.'
      : 'An optional column that is there has a value in every row.',
    `A file replaces all stored rows of every (${keyColumns(family)
      .map((column) => column.name)
      .join(', ')}) that occurs in it.`,
  ];
  const rows = columns.map((column) => {
    return `| \`${column.name}\` | ${column.required ? 'yes' : 'no'} | ${RULES[column.kind]} |`;
  });
  const table = ['| column | required | rule |', '| --- | --- | --- |', ...rows].join('\n');
  return `**Columns of \`${name}\` files.** ${limits.join(' ')}\n\n${table}`;
}

function listed(words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)!}`;
}

function bytes(count: number): string {
  return `${count.toLocaleString('en')} bytes`;
}
