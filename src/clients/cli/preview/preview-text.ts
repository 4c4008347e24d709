import type { KeyMeasures, PreviewedKey, PreviewTotal } from '../../../preview/answer.js';
import { table, textOfLines } from '../terminal.js';
import type { FilePreview } from './merged-preview.js';

/** So many replaced keys are printed. */
const MOST_KEYS = 20;

/** The preview of a file for people. */
export function previewText(preview: FilePreview): string {
  const { file, rows, requests, valid, keys, compared, totals, replaced, warnings, asOf } = preview;
  const requestCount = `${requests} request${requests === 1 ? '' : 's'}`;
  const lines = [`${file}: ${rows} rows in ${requestCount}, ${valid ? 'valid' : 'with mistakes'}`];
  for (const [column, messages] of Object.entries(preview.reason)) {
    lines.push(`  ${column}`, ...messages.map((message) => `    ${message}`));
  }
  if (!valid) return textOfLines(lines);
  const keyCount = `${keys.total} key${keys.total === 1 ? '' : 's'}`;
  lines.push(
    compared
      ? `  ${keyCount}: ${keys.new!} new, ${keys.replaced!} replaced, ${keys.unchanged!} unchanged (at ${asOf} UTC)`
      : `  ${keyCount}, too large to compare with what is stored`,
  );
  for (const { column, rows: at, message } of warnings) {
    const where = at.length === 0 ? '' : ` (row${at.length === 1 ? '' : 's'} ${at.join(', ')})`;
    lines.push(`  warning: ${column}: ${message}${where}`);
  }
  if (totals !== null && totals.listed.length > 0) {
    lines.push('  sums of these keys, before and after', ...indented(totalsTable(totals.listed)));
    // Of several requests only that is known.
    const least = requests > 1 ? 'at least ' : '';
    if (totals.more > 0) lines.push(`    and ${least}${totals.more} more`);
  }
  if (replaced.length > 0) {
    const shown = replaced.slice(0, MOST_KEYS);
    lines.push('  what is replaced', ...indented(keysTable(shown)));
    const more = (keys.replaced ?? 0) - shown.length;
    if (more > 0) lines.push(`    and ${more} more`);
  }
  return textOfLines(lines);
}

function totalsTable(totals: readonly PreviewTotal[]): string {
  const [first] = totals as readonly [PreviewTotal];
  const measures = Object.keys(first.after);
  return table(
    [first.currency === undefined ? 'event_category' : 'currency', ...measures],
    totals.map(({ currency, event_category, before, after }) => [
      currency ?? event_category ?? '',
      ...measures.map((measure) => change(before[measure], after[measure])),
    ]),
  );
}

function keysTable(keys: readonly PreviewedKey[]): string {
  const [first] = keys as readonly [PreviewedKey];
  const last = first.campaign === undefined ? 'event_category' : 'campaign';
  return table(
    ['date', 'channel', last, 'before', 'after', 'uploaded', 'by request'],
    keys.map(({ date, channel, before, after, uploadedAt, requestId, ...key }) => [
      ...[date, channel, key[last] ?? '', amounts(before), amounts(after), uploadedAt, requestId],
    ]),
  );
}

/** Of cost an amount for each currency. */
function amounts(measures: readonly KeyMeasures[]): string {
  return measures
    .map((each) =>
      'cost' in each
        ? `${numberText(each['cost'])} ${each['currency']}`
        : numberText(each['event_value']),
    )
    .join(', ');
}

function change(before: number | null | undefined, after: number | null | undefined): string {
  const [from, to] = [numberText(before), numberText(after)];
  return from === to ? to : `${from} -> ${to}`;
}

/** @param value null: beyond what a double holds */
function numberText(value: string | number | null | undefined): string {
  if (typeof value !== 'number') return 'too large';
  // Sums of doubles have digits that no file has. The console rounds in the same way.
  return String(Number(value.toPrecision(15)));
}

function indented(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`);
}
