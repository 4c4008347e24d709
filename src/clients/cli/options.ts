import { InvalidArgumentError, Option } from 'commander';
import { ACCOUNT_NAME } from '../../accounts/account.js';
import { isTimeZone } from '../../domain/days.js';

export function accountOption(description: string): Option {
  return new Option('--account <name>', description).argParser(accountName);
}

export function accountName(value: string): string {
  if (ACCOUNT_NAME.test(value)) return value;
  throw new InvalidArgumentError(
    'An account is 1 to 64 letters, digits, dots, hyphens and underscores.',
  );
}

/** Milliseconds since the epoch. */
export function timeOf(value: string): number {
  const time = Date.parse(value);
  // Without a zone it would be the time of this machine's zone.
  if (!Number.isNaN(time) && /T.*(?:Z|[+-]\d\d:?\d\d)$/.test(value)) return time;
  throw new InvalidArgumentError('A time has a date, a time and a zone: 2026-11-21T08:00:00Z.');
}

export function secondsOf(value: string): number {
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It is a whole number of seconds.');
}

export function timeZoneOption(description: string): Option {
  return new Option('--time-zone <zone>', description).default('UTC').argParser((value: string) => {
    if (isTimeZone(value)) return value;
    throw new InvalidArgumentError('It is not an IANA time zone name such as Asia/Seoul.');
  });
}

export function metricName(value: string): string {
  if (/^[A-Za-z0-9]{1,256}$/.test(value)) return value;
  throw new InvalidArgumentError('A metric name is 1 to 256 English letters and digits.');
}
