/** Days as counts since 1970-01-01, the way the warehouse's `Date` holds them. */

export const DAY_MS = 86_400_000;
export const DAY_SECONDS = 86_400;

/** The day count of `YYYY-MM-DD`, which must be a real day. */
export function dayOf(text: string): number {
  return Math.floor(Date.parse(`${text}T00:00:00Z`) / DAY_MS);
}

/** `YYYY-MM-DD` of a day count. */
export function textOfDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The day in a time zone (IANA name) at a moment, as a day count. */
export function dayInTimeZone(milliseconds: number, timeZone: string): number {
  if (timeZone === 'UTC') return Math.floor(milliseconds / DAY_MS);
  return dayOf(formatOf(timeZone).format(milliseconds));
}

/** Making a format costs a hundred times as much as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** A format that writes `YYYY-MM-DD`. There are a few hundred time zones at the most. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    const digits = '2-digit';
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: digits,
      day: digits,
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** Whether the value is an IANA time zone name, such as `Asia/Seoul` or `UTC`. An offset is not. */
export function isTimeZone(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[A-Za-z]/.test(value)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}
