import type { Preview, PreviewedKey, PreviewTotal, Warning } from '../../../preview/answer.js';
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

const MOST_REPLACED = 100;
const MOST_TOTALS = 50;
/** Said of one part they are not true of the whole file. */
const OF_WHOLE_FILES: ReadonlySet<Warning['code']> = new Set(['missing-days']);

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
      .sort((a, b) => changeOf(b) - changeOf(a))
      .slice(0, MOST_REPLACED),
    warnings: mergedWarnings(parts),
    // The oldest: what came later may be missing.
    asOf: previews.map(({ asOf }) => asOf).sort()[0]!,
  };
}

function mergedTotals(previews: readonly Preview[]): Preview['totals'] {
  const totals = new Map<string, PreviewTotal>();
  for (const total of previews.flatMap((each) => each.totals!.listed)) {
    const name = nameOf(total);
    const known = totals.get(name);
    totals.set(name, known === undefined ? total : { ...known, ...sums(known, total) });
  }
  const sorted = [...totals.values()].sort((a, b) => totalChange(b) - totalChange(a));
  return {
    listed: sorted.slice(0, MOST_TOTALS),
    more:
      Math.max(0, sorted.length - MOST_TOTALS) +
      Math.max(...previews.map(({ totals: of }) => of!.more)),
  };
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
  for (const { preview, rowNumbers } of parts) {
    for (const warning of preview.warnings) {
      if (parts.length > 1 && OF_WHOLE_FILES.has(warning.code)) continue;
      if (warning.code === 'no-change' && !isAllUnchanged) continue;
      const id = `${warning.code} ${warning.column} ${warning.message}`;
      const rows = [
        ...(merged.get(id)?.rows ?? []),
        ...warning.rows.map((row) => fileRow(row, rowNumbers)),
      ];
      merged.set(id, { ...warning, rows: rows.sort((a, b) => a - b).slice(0, 20) });
    }
  }
  return [...merged.values()];
}

/** Of a total or a key: by how much cost or event_value changes. */
function totalChange({ before, after }: PreviewTotal): number {
  const column = 'cost' in after ? 'cost' : 'event_value';
  return Math.abs((after[column] ?? Infinity) - (before[column] ?? 0));
}

function changeOf({ before, after }: PreviewedKey): number {
  const column = [...before, ...after].some((each) => 'cost' in each) ? 'cost' : 'event_value';
  const amounts = new Map<unknown, number>();
  for (const [side, sign] of [
    [after, 1],
    [before, -1],
  ] as const) {
    for (const each of side) {
      const { currency } = each;
      amounts.set(currency, (amounts.get(currency) ?? 0) + sign * Number(each[column]));
    }
  }
  return [...amounts.values()].reduce((sum, amount) => sum + Math.abs(amount), 0);
}

function nameOf({ currency, event_category }: PreviewTotal): string {
  return currency ?? event_category ?? '';
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
