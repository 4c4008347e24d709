import type { FamilyName } from '../../src/domain/families/index.js';
import { mix } from './random.js';

/**
 * Files for reports: accounts, campaigns and metrics as people have them, a key for each day, five
 * rows a key. They are uploaded day after day, the accounts in turn. Then every fifth day is uploaded
 * again.
 */

export interface ReportFile {
  readonly family: FamilyName;
  readonly account: string;
  /** Which of the account's files it is, and how many there are before any replaces keys. */
  readonly file: number;
  readonly files: number;
  /** Whether the file replaces keys, of every fifth day. */
  readonly isSecond: boolean;
}

export const KEYS_A_FILE = 2_000;
export const ROWS_A_KEY = 5;
/** Of 20 accounts the first has half of the rows. */
export const LARGEST = 'account-0';
const ACCOUNTS = 20;
const REPLACED = 5;
/** In one key of so many, two rows agree in all but their numbers. */
const AGREEING = 200;

export const LAST_DAY = Date.parse('2026-10-31');
const DAY_MS = 86_400_000;
const COST_DAYS = 365;
/** Self-serve uploads may not be older. */
const SELF_SERVE_DAYS = 90;
const CHANNELS = ['newsletter', 'radio', 'tv_spot', 'podcast', 'affiliate', 'billboard'];
const CURRENCIES = ['EUR', 'USD', 'KRW', 'GBP'];
const COUNTRIES = 'de fr kr us jp gb it es nl se pl at ch be dk no fi cz br in'.split(' ');
const SYSTEMS = ['Android', 'iOS', 'web'];

const HEADERS: Readonly<Record<FamilyName, string>> = {
  cost: 'date,channel,currency,campaign,impressions,clicks,cost,campaign_id,ad_group,ad_creative,country,os_name',
  'self-serve':
    'date,channel,event_category,event_value,campaign,ad_group,ad_creative,event_source,os_name,country',
};

/** @param largest how many files the largest account has before it replaces keys */
export function reportFiles(family: FamilyName, largest: number): ReportFile[] {
  const others = Math.max(REPLACED, Math.round(largest / (ACCOUNTS - 1)));
  const filesOf = (account: number, isSecond: boolean): ReportFile[] => {
    const files = account === 0 ? largest : others;
    return Array.from({ length: isSecond ? Math.floor(files / REPLACED) : files }, (_, file) => ({
      family,
      account: `account-${account}`,
      file,
      files,
      isSecond,
    }));
  };
  return [false, true].flatMap((isSecond) => {
    const accounts = Array.from({ length: ACCOUNTS }, (_, account) => filesOf(account, isSecond));
    // The accounts in turn.
    return accounts
      .flatMap((files) => files.map((file, at) => ({ file, place: at / files.length })))
      .sort((a, b) => a.place - b.place)
      .map(({ file }) => file);
  });
}

export function bytesOf({ family, file, files, isSecond }: ReportFile): Buffer {
  const [line, days] =
    family === 'cost' ? [costLine, COST_DAYS] : ([selfServeLine, SELF_SERVE_DAYS] as const);
  const keysADay = Math.ceil((files * KEYS_A_FILE) / days);
  const lines = [HEADERS[family]];
  for (let at = 0; at < KEYS_A_FILE; at++) {
    const place = file * KEYS_A_FILE + at;
    const day = Math.floor(place / keysADay) * (isSecond ? REPLACED : 1);
    const series = place % keysADay;
    const key = day * keysADay + series;
    for (let row = 0; row < ROWS_A_KEY; row++) {
      const isAgreeing = row === ROWS_A_KEY - 1 && key % AGREEING === 0;
      const dimensions = mix(key, isAgreeing ? row - 1 : row);
      const numbers = mix(key, isSecond ? row + 16 : row + 32);
      lines.push(line(dayText(days - 1 - day), series, dimensions, numbers));
    }
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

function costLine(day: string, series: number, dimensions: number, numbers: number): string {
  const campaign = Math.floor(series / CHANNELS.length);
  return [
    day,
    CHANNELS[series % CHANNELS.length],
    CURRENCIES[campaign % CURRENCIES.length],
    `Spring sale ${campaign}`,
    (numbers % 100_000) + 1,
    numbers % 1_999,
    ((numbers % 1_000_003) / 100).toFixed(2),
    `cmp-${campaign}`,
    `group ${dimensions % 40}`,
    `creative ${(dimensions >>> 8) % 200}`,
    COUNTRIES[(dimensions >>> 16) % COUNTRIES.length],
    SYSTEMS[dimensions % SYSTEMS.length],
  ].join(',');
}

function selfServeLine(day: string, series: number, dimensions: number, numbers: number): string {
  return [
    day,
    CHANNELS[series % CHANNELS.length],
    `metric${Math.floor(series / CHANNELS.length)}`,
    numbers % 10_000,
    `Spring sale ${dimensions % 50}`,
    `group ${dimensions % 40}`,
    `creative ${(dimensions >>> 8) % 200}`,
    'web',
    SYSTEMS[dimensions % SYSTEMS.length],
    COUNTRIES[(dimensions >>> 16) % COUNTRIES.length],
  ].join(',');
}

const dayTexts = Array.from({ length: COST_DAYS }, (_, back) =>
  new Date(LAST_DAY - back * DAY_MS).toISOString().slice(0, 10),
);

/** A day, counted back from the last one. */
export function dayText(back: number): string {
  return dayTexts[back]!;
}
