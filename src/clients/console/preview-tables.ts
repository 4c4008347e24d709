import type { FamilyName } from '../../domain/families/index.js';
import type {
  KeyMeasures,
  Preview,
  PreviewedKey,
  PreviewTotals,
  Warning,
} from '../../preview/answer.js';
import { element, scrollingTable } from './elements.js';
import { countText } from './texts.js';

const KEY_TEXTS: Readonly<Record<FamilyName, string>> = {
  cost: 'date, channel and campaign',
  'self-serve': 'date, channel and event_category',
};

/** What an upload of a valid file would do, in a few words. */
export function summaryOf({ keys, compared, warnings }: Preview): string {
  const total = countText(keys?.total ?? 0, 'key');
  const warned = warnings.length === 0 ? '' : `, ${countText(warnings.length, 'warning')}`;
  if (!compared) return `${total}, too large to compare with what is stored${warned}`;
  const [added, replaced, unchanged] = [keys?.new, keys?.replaced, keys?.unchanged].map(numberText);
  return `${total}: ${added!} new, ${replaced!} replaced, ${unchanged!} unchanged${warned}`;
}

/** The same in full, for the card of the file. */
export function previewElements(
  fileName: string,
  family: FamilyName,
  preview: Preview,
): HTMLElement[] {
  const { compared, asOf, warnings, keys, replaced, totals } = preview;
  const time = compared ? ` Compared with what was stored at ${timeText(asOf)} UTC.` : '';
  const elements: HTMLElement[] = [
    element('p', {}, `If you send it: ${summaryOf(preview)}`),
    element('p', { class: 'hint' }, `The key of a row is its ${KEY_TEXTS[family]}.${time}`),
  ];
  if (warnings.length > 0) elements.push(warningsTable(fileName, warnings));
  if (replaced.length > 0) {
    elements.push(replacedTable(fileName, family, replaced));
    elements.push(...moreThan((keys?.replaced ?? 0) - replaced.length));
  }
  if (totals !== null && totals.listed.length > 0) {
    elements.push(totalsTable(fileName, family, totals), ...moreThan(totals.more));
  }
  return elements;
}

function warningsTable(fileName: string, warnings: readonly Warning[]): HTMLElement {
  const rows = warnings.map(({ column, rows: at, message }) => [
    element('td', {}, at.join(', ')),
    element('td', {}, column === 'file' ? 'the file' : element('code', {}, column)),
    element('td', {}, message),
  ]);
  const columns = ['Rows', 'Column', 'What may be a mistake'];
  return scrollingTable(`Warnings about ${fileName}`, {}, columns, rows);
}

function replacedTable(
  fileName: string,
  family: FamilyName,
  replaced: readonly PreviewedKey[],
): HTMLElement {
  const rows = replaced.map((key) => [
    element('td', { class: 'number' }, key.date),
    element('td', {}, key.channel),
    element('td', {}, key.campaign ?? key.event_category ?? ''),
    element('td', { class: 'number' }, ...key.before.flatMap(measureLines)),
    element('td', { class: 'number' }, ...key.after.flatMap(measureLines)),
    element(
      'td',
      {},
      element('div', {}, `${timeText(key.uploadedAt)} UTC`),
      element('code', {}, key.requestId),
    ),
  ]);
  const third = family === 'cost' ? 'Campaign' : 'Event category';
  const columns = ['Date', 'Channel', third, 'Before', 'After', 'Uploaded by request'];
  return scrollingTable(`What ${fileName} would replace`, {}, columns, rows);
}

function totalsTable(fileName: string, family: FamilyName, { listed }: PreviewTotals): HTMLElement {
  const rows = listed.flatMap(({ currency, event_category, before, after }) =>
    Object.keys(after).map((measure) => [
      element('td', {}, currency ?? event_category ?? ''),
      element('td', {}, measure),
      element('td', { class: 'number' }, numberText(before[measure])),
      element('td', { class: 'number' }, numberText(after[measure])),
    ]),
  );
  const first = family === 'cost' ? 'Currency' : 'Event category';
  const columns = [first, 'Sum of', 'Before', 'After'];
  return scrollingTable(`Sums of the keys of ${fileName}`, {}, columns, rows);
}

/** A line for each sum, of cost first the amount with its currency. */
function measureLines({ currency, cost, event_value, ...counts }: KeyMeasures): HTMLElement[] {
  const lines =
    currency === undefined
      ? [numberText(event_value)]
      : [
          `${numberText(cost)} ${String(currency)}`,
          ...Object.entries(counts).map(([name, count]) => `${name} ${numberText(count)}`),
        ];
  return lines.map((line) => element('div', {}, line));
}

/** @param value null: beyond what a double holds */
function numberText(value: string | number | null | undefined): string {
  if (typeof value !== 'number') return 'too large';
  // Sums of doubles have digits that no file has.
  return Number(value.toPrecision(15)).toLocaleString('en', { maximumFractionDigits: 15 });
}

function timeText(time: string): string {
  return time.replace('T', ' ');
}

function moreThan(more: number): HTMLElement[] {
  return more > 0 ? [element('p', { class: 'hint' }, `and ${more.toLocaleString('en')} more`)] : [];
}
