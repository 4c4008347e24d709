import type { CountColumn, AmountColumn } from '../columns/number-columns.js';
import type { OverwriteKeys } from '../group/overwrite-keys.js';
import type { ColumnSpace } from '../columns/column-space.js';

/**
 * The totals of each key by currency, stored beside its rows so that a report over many keys reads
 * a few numbers a key. Rows that are all 0 are deletions: a currency that has only those has no
 * total.
 *
 * Counts are summed in two 32-bit halves: 10,000 rows of 10^12 are more than a double holds exactly.
 */

interface Totals {
  readonly counts: Uint32Array;
  readonly columns: readonly Uint8Array[];
}

const HALF = 0x1_0000_0000;

/** One key's sums of one currency. */
class Sum {
  currency = 0;
  impressionsLow = 0;
  impressionsHigh = 0;
  clicksLow = 0;
  clicksHigh = 0;
  cost = 0;

  startWith(currency: number): void {
    this.currency = currency;
    this.impressionsLow = 0;
    this.impressionsHigh = 0;
    this.clicksLow = 0;
    this.clicksHigh = 0;
    this.cost = 0;
  }
}

/**
 * @param currencies the rows' currencies in the file's order, as Native strings: four bytes each
 */
export function costTotals(
  keys: OverwriteKeys,
  order: Int32Array | undefined,
  currencies: Uint8Array,
  impressions: CountColumn,
  clicks: CountColumn,
  cost: AmountColumn,
  space: ColumnSpace,
): Totals {
  const counts = space.words(keys.count);
  const out = new TotalsWriter(space, keys.count);
  const sums = [new Sum()];
  let row = 0;
  for (let key = 0; key < keys.count; key++) {
    let used = 0;
    for (let left = keys.rowsOf[key]!; left > 0; left--, row++) {
      const at = order === undefined ? row : order[row]!;
      const shown = impressions.at(at);
      const clicked = clicks.at(at);
      const paid = cost.at(at);
      if (shown === 0 && clicked === 0 && paid === 0) continue;
      const currency =
        (currencies[4 * at + 1]! << 16) | (currencies[4 * at + 2]! << 8) | currencies[4 * at + 3]!;
      let i = 0;
      while (i < used && sums[i]!.currency !== currency) i++;
      if (i === used) {
        if (used === sums.length) sums.push(new Sum());
        used++;
        sums[i]!.startWith(currency);
      }
      const sum = sums[i]!;
      sum.impressionsLow += shown % HALF;
      sum.impressionsHigh += Math.floor(shown / HALF);
      sum.clicksLow += clicked % HALF;
      sum.clicksHigh += Math.floor(clicked / HALF);
      sum.cost += paid;
    }
    counts[key] = used;
    for (let i = 0; i < used; i++) out.add(sums[i]!);
  }
  return { counts, columns: out.columns() };
}

class TotalsWriter {
  private used = 0;
  private currencies: Uint8Array;
  private impressions: Uint32Array;
  private clicks: Uint32Array;
  private costs: Float64Array;

  constructor(
    private readonly space: ColumnSpace,
    size: number,
  ) {
    this.currencies = space.bytes(size * 4);
    this.impressions = space.words(size * 2);
    this.clicks = space.words(size * 2);
    this.costs = space.doubles(size);
  }

  add(sum: Sum): void {
    if (this.used === this.costs.length) this.grow();
    const at = this.used++;
    this.currencies[4 * at] = 3;
    this.currencies[4 * at + 1] = sum.currency >> 16;
    this.currencies[4 * at + 2] = sum.currency >> 8;
    this.currencies[4 * at + 3] = sum.currency;
    this.impressions[2 * at] = sum.impressionsLow % HALF;
    this.impressions[2 * at + 1] = sum.impressionsHigh + Math.floor(sum.impressionsLow / HALF);
    this.clicks[2 * at] = sum.clicksLow % HALF;
    this.clicks[2 * at + 1] = sum.clicksHigh + Math.floor(sum.clicksLow / HALF);
    this.costs[at] = sum.cost;
  }

  /** Native columns: currency, impressions, clicks, cost. */
  columns(): Uint8Array[] {
    const bytes = ({ buffer, byteOffset }: Uint32Array | Float64Array): Uint8Array =>
      new Uint8Array(buffer, byteOffset, this.used * 8);
    return [
      this.currencies.subarray(0, this.used * 4),
      bytes(this.impressions),
      bytes(this.clicks),
      bytes(this.costs),
    ];
  }

  private grow(): void {
    const size = Math.max(16, this.costs.length * 2);
    const [currencies, impressions, clicks, costs] = [
      this.space.bytes(size * 4),
      this.space.words(size * 2),
      this.space.words(size * 2),
      this.space.doubles(size),
    ];
    currencies.set(this.currencies);
    impressions.set(this.impressions);
    clicks.set(this.clicks);
    costs.set(this.costs);
    this.currencies = currencies;
    this.impressions = impressions;
    this.clicks = clicks;
    this.costs = costs;
  }
}
