import { readConfig } from '../../../src/config/read-config.js';
import { dayOf } from '../../../src/domain/days.js';
import {
  COST,
  familyNamed,
  SELF_SERVE,
  type FamilyName,
} from '../../../src/domain/families/index.js';
import type { Verdict } from '../../../src/csv/verdict.js';
import { prepareUpload, type UploadFacts } from '../../../src/csv/prepare-upload.js';
import { decodePrepared, type DecodedKey } from '../model/decode-prepared.js';

/** Files built from the values that matter to a test, and the verdicts on them. */

export const REQUEST_DATE = '2026-03-10';

/** Those of a service without settings. */
export const THRESHOLDS = readConfig({}).warnings;

export const FACTS: UploadFacts = {
  finding: null,
  requestDay: dayOf(REQUEST_DATE),
  integratedChannels: ['Acme Ads', 'Søk'],
};

export type Values = Readonly<Record<string, string>>;

const GOOD: Readonly<Record<FamilyName, Values>> = {
  cost: {
    date: '2026-03-01',
    channel: 'Search',
    currency: 'EUR',
    campaign: 'Spring',
    impressions: '100',
    clicks: '10',
    cost: '1.5',
  },
  'self-serve': {
    date: '2026-03-01',
    channel: 'Search',
    event_category: 'Signups',
    event_value: '3',
  },
};

/** A valid row, with some values changed or added. */
export function goodRow(family: FamilyName, values: Values = {}): Values {
  return { ...GOOD[family], ...values };
}

/** Quotes fields only where needed. The header comes from the first row. */
export function csv(rows: readonly Values[]): string {
  const header = Object.keys(rows[0]!);
  const lines = rows.map((row) => header.map((name) => row[name]!));
  return [header, ...lines].map((line) => line.map(quoted).join(',') + '\n').join('');
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** A file of one row, valid except for `values`. */
export function fileWith(family: FamilyName, values: Values): string {
  return csv([goodRow(family, values)]);
}

export function verdictOn(
  family: FamilyName,
  file: string | Uint8Array,
  facts: Partial<UploadFacts> = {},
): Verdict {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  return prepareUpload(familyNamed(family), [bytes], { ...FACTS, ...facts });
}

/** The keys of a file that must be valid. */
export function keysOf(
  family: FamilyName,
  file: string | Uint8Array,
  facts: Partial<UploadFacts> = {},
): DecodedKey[] {
  const verdict = verdictOn(family, file, facts);
  if (!verdict.valid) throw new Error(`the file was refused: ${verdict.reason}`);
  return decodePrepared(family === 'cost' ? COST : SELF_SERVE, verdict.upload);
}

export type Reason = Record<string, string[]>;

/** The reason of a file that must be invalid. */
export function reasonFor(
  family: FamilyName,
  file: string | Uint8Array,
  facts: Partial<UploadFacts> = {},
): Reason {
  const verdict = verdictOn(family, file, facts);
  if (verdict.valid) throw new Error('the file was accepted');
  return JSON.parse(verdict.reason) as Reason;
}

/** A reason without the message for files that look as spreadsheets save them. */
export function withoutHint(reason: Reason): Reason {
  const columns = Object.entries(reason).map(([column, messages]) => {
    return [column, messages.filter((text) => !text.includes('"custom-data convert"'))] as const;
  });
  return Object.fromEntries(columns.filter(([, messages]) => messages.length > 0));
}
