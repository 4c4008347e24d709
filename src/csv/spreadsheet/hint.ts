import type { Family } from '../../domain/families/index.js';
import { columnNamed, type FileSurvey, surveyOf } from './file-survey.js';
import { decodeText, encodingOf } from './text-encoding.js';

/** No more of a file than its header and first rows is looked at. */
export const LOOKED_AT_BYTES = 16 * 1024;

/**
 * A message for a file that is not valid, if it looks as spreadsheets save files. All that it names
 * are mistakes of the file, and it repeats nothing of the file.
 *
 * @param parts of the file, which follow one another; the first `LOOKED_AT_BYTES` suffice
 * @param isUtf8 whether the whole file is valid UTF-8
 */
export function spreadsheetHint(
  family: Family,
  parts: readonly Uint8Array[],
  isUtf8: boolean,
): string | undefined {
  const bytes = beginningOf(parts);
  const encoding = encodingOf(bytes, isUtf8);
  if (encoding === undefined) return undefined;
  const looks = looksOf(family, surveyOf(family, decodeText(bytes, encoding)));
  if (encoding !== 'UTF-8') looks.unshift(`text in ${encoding}`);
  if (looks.length === 0) return undefined;
  return (
    `the file looks like one with ${looks.join(', ')}: ` +
    '"custom-data convert" shows what it can convert'
  );
}

function beginningOf(parts: readonly Uint8Array[]): Uint8Array {
  const beginning = new Uint8Array(LOOKED_AT_BYTES);
  let length = 0;
  for (const part of parts) {
    const piece = part.subarray(0, LOOKED_AT_BYTES - length);
    beginning.set(piece, length);
    length += piece.length;
  }
  return beginning.subarray(0, length);
}

function looksOf(family: Family, { separator, header, columns }: FileSurvey): string[] {
  const looks: string[] = [];
  if (separator !== 'comma') looks.push(`${separator}s as separators`);
  const isOtherCase = (name: string): boolean =>
    columnNamed(family, name) !== undefined && columnNamed(family, name) !== name;
  if (header.some(isOtherCase)) looks.push('column names in another case');
  const ofValues = columns.flatMap((column) => {
    if (column === undefined || column.foreign === 0 || column.possible.length === 0) return [];
    if (column.values.asks !== 'dates') return ['commas or separators of thousands in numbers'];
    const isDotted = column.possible.includes('DD.MM.YYYY');
    return [`dates such as ${isDotted ? '31.12.2026' : '12/31/2026'}`];
  });
  return [...looks, ...new Set(ofValues)];
}
