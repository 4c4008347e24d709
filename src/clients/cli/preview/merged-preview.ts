import type {
  KeyMeasures,
  Preview,
  PreviewedKey,
  PreviewTotal,
  PreviewTotals,
  Warning,
} from '../../../preview/answer.js';
import type { MalformedFile } from '../upload/divide-file.js';
import { Problems } from '../upload/problems.js';
import { addMessages, fileRow } from '../upload/summary.js';

/** The preview of a file, from those of its parts. Rows are numbered as in the file. */
export interface FilePreview extends Omit<Preview, 'reason' | 'rows' | 'keys'> {
  readonly file: string;
  readonly rows: number;
  readonly requests: number;
  /** By column what is wrong; empty when the file is valid. */
  readonly reason: Readonly<Record<string, readonly string[]>>;
  readonly keys: NonNullable<Preview['keys']>;
}

export interface PartPreview {
  readonly preview: Preview;
  /** Which row of the file each row of the part is. */
  readonly rowNumbers: Uint32Array;
}

/** What a file is said to be that is not well-formed, and so has no parts. */
export function malformedPreview({ name, rows, problems }: MalformedFile): FilePreview {
  return {
    file: name,
    rows,
    requests: 0,
    valid: false,
    reason: problems.byColumn(),
    keys: { total: 0, new: null, replaced: null, unchanged: null },
    compared: false,
    totals: null,
    replaced: [],
    warnings: [],
    asOf: new Date().toISOString().slice(0, 19),
  };
}

/** As many as the preview of one request has. */
const MOST_REPLACED = 100;
const MOST_TOTALS = 50;
const MOST_ROWS = 20;
/**
 * Said of one part they are not true of the whole file: parts have days and channels in common.
 */
const OF_WHOLE_FILES: ReadonlySet<Warning['code']> = new Set(['missing-days', 'unusual-total']);

/** Parts have no key in common, so their numbers add up. */
export function mergedPreview(
  file: { readonly name: string; readonly rows: number },
  parts: readonly PartPreview[],
): FilePreview {
  const previews = parts.map(({ preview }) => preview);
  const problems = new Problems();
  for (const { preview, rowNumbers } of parts) {
    addMessages(problems, Object.entries(preview.reason ?? {}), rowNumbers);
  }
  const compared = previews.every((each) => each.compared);
  return {
    file: file.name,
    rows: file.rows,
    requests: parts.length,
    valid: previews.every(({ valid }) => valid),
    reason: problems.byColumn(),
    keys: {
      total: sumOf(previews, ({ keys }) => keys?.total ?? 0),
      new: compared ? sumOf(previews, ({ keys }) => keys!.new!) : null,
      replaced: compared ? sumOf(previews, ({ keys }) => keys!.replaced!) : null,
      unchanged: compared ? sumOf(previews, ({ keys }) => keys!.unchanged!) : null,
    },
    compared,
    totals: compared ? mergedTotals(previews) : null,
    replaced: previews
      .flatMap(({ replaced }) => replaced)
      .map((key) => ({ key, change: changeOf(key) }))
      .sort((a, b) => descending(a.change, b.change) || ascending(textOf(a.key), textOf(b.key)))
      .map(({ key }) => key)
      .slice(0, MOST_REPLACED),
    warnings: mergedWarnings(parts),
    // The oldest: what came later may be missing.
    asOf: previews.map(({ asOf }) => asOf).sort()[0]!,
  };
}

/** Without names that some part has, but does not list: their sums are not known. */
function mergedTotals(previews: readonly Preview[]): PreviewTotals {
  const ofParts = previews.map(({ totals }) => totals!);
  const merged = new Map<string, PreviewTotal>();
  for (const total of ofParts.flatMap(({ listed }) => listed)) {
    const name = nameOf(total);
    const known = merged.get(name);
    merged.set(name, known === undefined ? total : { ...known, ...sums(known, total) });
  }
  const cut = ofParts.filter(({ more }) => more > 0);
  const namesOfCut = cut.map(({ listed }) => new Set(listed.map(nameOf)));
  const complete = [...merged.values()]
    .filter((total) => namesOfCut.every((names) => names.has(nameOf(total))))
    .map((total) => ({ total, change: changeOfTotal(total) }))
    .sort((a, b) => descending(a.change, b.change) || ascending(nameOf(a.total), nameOf(b.total)));
  const listed = complete.slice(0, MOST_TOTALS).map(({ total }) => total);
  // At least so many names are in the file.
  const names = Math.max(merged.size, ...cut.map((totals) => totals.listed.length + totals.more));
  return { listed, more: names - listed.length };
}

function sums(a: PreviewTotal, b: PreviewTotal): Pick<PreviewTotal, 'before' | 'after'> {
  const added = (side: 'before' | 'after'): PreviewTotal['before'] =>
    Object.fromEntries(
      Object.entries(a[side]).map(([column, value]) => {
        const other = b[side][column] ?? null;
        return [column, value === null || other === null ? null : value + other];
      }),
    );
  return { before: added('before'), after: added('after') };
}

function mergedWarnings(parts: readonly PartPreview[]): Warning[] {
  const isUnchanged = ({ preview }: PartPreview): boolean =>
    preview.warnings.some(({ code }) => code === 'no-change');
  const isAllUnchanged = parts.every(isUnchanged);
  const merged = new Map<string, Warning>();
  for (const [part, { preview, rowNumbers }] of parts.entries()) {
    for (const warning of preview.warnings) {
      if (parts.length > 1 && OF_WHOLE_FILES.has(warning.code)) continue;
      if (warning.code === 'no-change' && !isAllUnchanged) continue;
      // The number is of this part alone.
      const counted = /^\d/.test(warning.message) ? part : '';
      const id = `${warning.code} ${warning.column} ${warning.message} ${counted}`;
      const rows = [
        ...(merged.get(id)?.rows ?? []),
        ...warning.rows.map((row) => fileRow(row, rowNumbers)),
      ];
      merged.set(id, { ...warning, rows: rows.sort((a, b) => a - b).slice(0, MOST_ROWS) });
    }
  }
  return [...merged.values()];
}

/** By how much the sum of cost or event_value changes; one that is beyond a double, the most. */
function changeOfTotal({ before, after }: PreviewTotal): number {
  const column = 'cost' in after ? 'cost' : 'event_value';
  const [from, to] = [before[column] ?? null, after[column] ?? null];
  return from === null || to === null ? Infinity : Math.abs(to - from);
}

/** The same of a key, over all its currencies. */
function changeOf({ before, after }: PreviewedKey): number {
  const column = [...before, ...after].some((each) => 'cost' in each) ? 'cost' : 'event_value';
  const amounts = new Map<unknown, number>();
  const add = (sign: number, { currency, [column]: amount }: KeyMeasures): void => {
    const known = amounts.get(currency) ?? 0;
    amounts.set(currency, amount === null ? Infinity : known + sign * Number(amount));
  };
  for (const each of after) add(1, each);
  for (const each of before) add(-1, each);
  return [...amounts.values()].reduce((sum, amount) => sum + Math.abs(amount), 0);
}

/** The overwrite key as one text. No value has a NUL. */
function textOf({ date, channel, campaign, event_category }: PreviewedKey): string {
  return [date, channel, campaign ?? event_category ?? ''].join('\0');
}

function nameOf({ currency, event_category }: PreviewTotal): string {
  return currency ?? event_category ?? '';
}

/** Unlike a difference, right for infinity too. */
function descending(a: number, b: number): number {
  return a === b ? 0 : b - a;
}

function ascending(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
