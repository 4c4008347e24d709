import { type AmountColumn, type CountColumn, writeCount } from '../columns/number-columns.js';
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
  let row = 0;
  for (let key = 0; key < keys.count; key++) {
    out.nextKey();
    for (let left = keys.rowsOf[key]!; left > 0; left--, row++) {
      const at = order === undefined ? row : order[row]!;
      const shown = impressions.at(at);
      const clicked = clicks.at(at);
      const paid = cost.at(at);
      if (shown === 0 && clicked === 0 && paid === 0) continue;
      const currency =
        (currencies[4 * at + 1]! << 16) | (currencies[4 * at + 2]! << 8) | currencies[4 * at + 3]!;
      out.add(currency, shown, clicked, paid);
    }
    counts[key] = out.ofKey;
  }
  return { counts, columns: out.columns() };
}

/** Sums in place: the last `ofKey` totals are the current key's, one a currency. */
class TotalsWriter {
  private from = 0;
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

  get ofKey(): number {
    return this.used - this.from;
  }

  nextKey(): void {
    this.from = this.used;
  }

  /** @param currency its three letters, the first one highest */
  add(currency: number, impressions: number, clicks: number, cost: number): void {
    let at = this.from;
    while (at < this.used && !this.is(at, currency)) at++;
    if (at === this.used) {
      this.begin(currency, impressions, clicks, cost);
      return;
    }
    addTo(this.impressions, at, impressions);
    addTo(this.clicks, at, clicks);
    this.costs[at]! += cost;
  }

  private is(at: number, currency: number): boolean {
    const { currencies } = this;
    return (
      currencies[4 * at + 3] === (currency & 0xff) &&
      currencies[4 * at + 2] === ((currency >> 8) & 0xff) &&
      currencies[4 * at + 1] === currency >> 16
    );
  }

  private begin(currency: number, impressions: number, clicks: number, cost: number): void {
    if (this.used === this.costs.length) this.grow();
    const at = this.used++;
    this.currencies[4 * at] = 3;
    this.currencies[4 * at + 1] = currency >> 16;
    this.currencies[4 * at + 2] = currency >> 8;
    this.currencies[4 * at + 3] = currency;
    writeCount(this.impressions, at, impressions);
    writeCount(this.clicks, at, clicks);
    this.costs[at] = cost;
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

/** Adds to a count as `writeCount` writes it. */
function addTo(words: Uint32Array, at: number, count: number): void {
  const low = words[2 * at]! + (count % HALF);
  words[2 * at] = low;
  words[2 * at + 1] = words[2 * at + 1]! + Math.floor(count / HALF) + (low >= HALF ? 1 : 0);
}
