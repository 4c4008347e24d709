import type { Comparison } from '../../warehouse/rows/compare-keys.js';
import { type FileValues, groupOf, type RowsOf, SPELLED } from './file-values.js';
import { plainForm } from './file-warnings.js';
import type { KnownSpelling } from './known-values-cache.js';
import type { Warning } from '../answer.js';
import { listed, MOST_SIMILAR, RowList } from './warning.js';

/** What differs from the values that the account has uploaded before. */
export function spellingWarnings({ spelled }: FileValues, known: KnownSpelling): Warning[] {
  return SPELLED.flatMap((column) => {
    const ofAccount = known[column];
    if (ofAccount === undefined) return [];
    const { exact, byForm } = ofAccount;
    const unknown = [...spelled[column]].filter(([value]) => !exact.has(value));
    const similarTo = ([value]: readonly [string, RowsOf]): string | undefined =>
      byForm.get(plainForm(value));
    const similar = unknown.filter((each) => similarTo(each) !== undefined).slice(0, MOST_SIMILAR);
    const warnings = similar.map((each): Warning => ({
      code: 'similar-value',
      column,
      rows: each[1].first,
      message: `"${each[0]}" differs from "${similarTo(each)!}", which is stored, only in case, width or white space`,
    }));
    const fresh = unknown.filter((each) => similarTo(each) === undefined);
    if (column === 'channel' && fresh.length > 0) {
      const names = fresh.map(([value]) => value);
      const message = `${listed(names)} ${names.length === 1 ? 'is a channel' : 'are channels'} that the account has not had before`;
      warnings.push({ code: 'new-channel', column, rows: rowsOf(fresh), message });
    }
    return warnings;
  });
}

export function archivedWarnings({ metrics }: FileValues, archived: readonly string[]): Warning[] {
  if (archived.length === 0) return [];
  const message = `${listed(archived)} ${archived.length === 1 ? 'is archived and is' : 'are archived and are'} not shown in reports`;
  const found = archived.map((name) => [name, metrics.get(name)!] as const);
  return [{ code: 'archived-metric', column: 'event_category', rows: rowsOf(found), message }];
}

/** What the comparison of all keys says. */
export function comparisonWarnings(
  { keys: rowsByKey }: FileValues,
  keys: number,
  comparisons: readonly Comparison[],
): Warning[] {
  const warnings: Warning[] = [];
  const changed = comparisons.reduce((sum, { otherCurrencies }) => sum + otherCurrencies.count, 0);
  if (changed > 0) {
    const named = comparisons.flatMap(({ otherCurrencies }) => otherCurrencies.keys);
    const rows = named.map((key) => rowsByKey.get(groupOf(...key))!).sort((a, b) => a - b);
    const message = `${changed} key${changed === 1 ? ' gets' : 's get'} another currency than ${changed === 1 ? 'it has' : 'they have'} now`;
    warnings.push({ code: 'currency-changes', column: 'currency', rows, message });
  }
  if (comparisons.reduce((sum, { unchanged }) => sum + unchanged, 0) === keys) {
    const message = 'every row of the file is stored already: it changes nothing';
    warnings.push({ code: 'no-change', column: 'file', rows: [], message });
  }
  return warnings;
}

function rowsOf(found: readonly (readonly [string, RowsOf])[]): readonly number[] {
  return RowList.of(found.map(([, rows]) => rows)).first;
}
