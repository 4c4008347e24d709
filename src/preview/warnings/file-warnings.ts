import type { Family } from '../../domain/families/index.js';
import { dayOf, textOfDay } from '../../domain/days.js';
import type { WarningThresholds } from '../../domain/warning-thresholds.js';
import { type FileValues, SPELLED } from './file-values.js';
import type { Warning } from '../answer.js';
import { listed, MOST_SIMILAR, RowList } from './warning.js';

/** Halfwidth and fullwidth forms. */
const WIDE_OR_NARROW = /[\uff01-\uff5e\uff61-\uffdc\uffe0-\uffee]/g;

/**
 * What the file alone says.
 *
 * @param today days since the epoch
 */
export function warningsOfFile(
  family: Family,
  values: FileValues,
  today: number,
  { oldDays, completeDays }: WarningThresholds,
): Warning[] {
  const warnings: Warning[] = [];
  for (const column of SPELLED) {
    const groups = variantsIn([...values.spelled[column].keys()]);
    for (const variants of groups.slice(0, MOST_SIMILAR)) {
      const { first } = RowList.of(variants.map((value) => values.spelled[column].get(value)!));
      warnings.push({
        code: 'similar-value',
        column,
        rows: first,
        message: `${listed(variants)} differ only in case, width or white space`,
      });
    }
  }
  if (family.name === 'cost') {
    warnings.push(...ofDates(values, today, oldDays), ...ofCombinations(values));
  }
  warnings.push(...missingDays(values, completeDays));
  return warnings;
}

/** Values that only differ in case, width or white space, in groups of two or more. */
function variantsIn(values: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const value of values) {
    const form = plainForm(value);
    const group = groups.get(form);
    if (group === undefined) groups.set(form, [value]);
    else group.push(value);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** The value without case, width and white space. */
export function plainForm(value: string): string {
  return value
    .normalize('NFC')
    .replace(WIDE_OR_NARROW, (character) => character.normalize('NFKC'))
    .toLowerCase()
    .replace(/\s+/gu, '')
    .normalize('NFC');
}

function ofDates({ days }: FileValues, today: number, oldDays: number): Warning[] {
  const found = (code: 'future-date' | 'old-date', says: string, is: (day: number) => boolean) => {
    const those = [...days].filter(([day]) => is(dayOf(day)));
    if (those.length === 0) return [];
    const { first, count } = RowList.of(those.map(([, rows]) => rows));
    const message = `${count} row${count === 1 ? ' is' : 's are'} of ${says}: ${listed(those.map(([day]) => day))}`;
    return [{ code, column: 'date', rows: first, message }];
  };
  return [
    ...found('future-date', 'days to come', (day) => day > today),
    ...found('old-date', `days more than ${oldDays} days ago`, (day) => day < today - oldDays),
  ];
}

function ofCombinations({ repeated, deleted }: FileValues): Warning[] {
  const warnings: Warning[] = [];
  if (repeated.count > 0) {
    const { count, first } = repeated;
    const message = `${count} row${count === 1 ? ' agrees' : 's agree'} with an earlier one in everything but the numbers; reports show their sum`;
    warnings.push({ code: 'same-combination', column: 'file', rows: first, message });
  }
  if (deleted.count > 0) {
    const { count, first } = deleted;
    const message = `${count} combination${count === 1 ? ' has' : 's have'} zeros only, and will not be in reports`;
    warnings.push({ code: 'deletions', column: 'file', rows: first, message });
  }
  return warnings;
}

function missingDays({ days }: FileValues, completeDays: number): Warning[] {
  if (days.size === 0) return [];
  const known = [...days.keys()].map(dayOf).sort((a, b) => a - b);
  const [first, last] = [known[0]!, known.at(-1)!];
  if (last - first + 1 < completeDays || known.length === last - first + 1) return [];
  const missing: string[] = [];
  const there = new Set(known);
  for (let day = first; day <= last; day++) if (!there.has(day)) missing.push(textOfDay(day));
  const message = `the file has no row of ${missing.length === 1 ? 'the day' : `${missing.length} days`} ${listed(missing)} between its first and its last`;
  return [{ code: 'missing-days', column: 'date', rows: [], message }];
}
