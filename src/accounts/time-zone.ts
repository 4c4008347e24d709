/** Whether the text is an IANA time zone name, such as `Asia/Seoul` or `UTC`. An offset is not. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
