import { rowOf } from './combinations';
import { Room } from './memory';
import { NumberColumn } from './number-columns';
import { keysOfFile, order, rowCount, rowsOfKey } from './overwrite-keys';
import { firstCode, RowTexts } from './row-texts';

/**
 * The totals of each key by currency, stored beside its rows so that a report over many keys reads
 * a few numbers a key. Rows that are all 0 are deletions: a currency that has only those has no
 * total.
 */

const counts = new Room();
const currencies = new Room();
const impressions = new Room();
const clicks = new Room();
const costs = new Room();

/**
 * Sums up the rows of every key.
 *
 * @param texts of the rows, the first of which is the currency, three letters
 * @returns how many totals there are in all
 */
export function sumTotals(
  texts: RowTexts,
  shown: NumberColumn,
  clicked: NumberColumn,
  paid: NumberColumn,
): i32 {
  const keys = keysOfFile();
  // No key has more totals than rows.
  const most = <usize>rowCount;
  counts.reserve((<usize>keys) << 2);
  currencies.reserve(most << 2);
  impressions.reserve(most << 3);
  clicks.reserve(most << 3);
  costs.reserve(most << 3);
  let used: usize = 0;
  let place: usize = 0;
  for (let key = 0; key < keys; key++) {
    const first = used;
    for (let left = rowsOfKey(key); left > 0; left--, place++) {
      const row = rowOf(order, place);
      const shownOfRow = load<u64>(shown.values.start + (row << 3));
      const clickedOfRow = load<u64>(clicked.values.start + (row << 3));
      const paidOfRow = load<f64>(paid.values.start + (row << 3));
      if (shownOfRow == 0 && clickedOfRow == 0 && paidOfRow == 0) continue;
      const code = firstCode(texts, row);
      let total = first;
      while (total < used && load<u32>(currencies.start + (total << 2)) != code) total++;
      if (total == used) {
        used++;
        store<u32>(currencies.start + (total << 2), code);
        store<u64>(impressions.start + (total << 3), shownOfRow);
        store<u64>(clicks.start + (total << 3), clickedOfRow);
        store<f64>(costs.start + (total << 3), paidOfRow);
      } else {
        addCount(impressions.start + (total << 3), shownOfRow);
        addCount(clicks.start + (total << 3), clickedOfRow);
        const cost = costs.start + (total << 3);
        store<f64>(cost, load<f64>(cost) + paidOfRow);
      }
    }
    store<u32>(counts.start + ((<usize>key) << 2), <u32>(used - first));
  }
  return <i32>used;
}

function addCount(to: usize, count: u64): void {
  store<u64>(to, load<u64>(to) + count);
}

/** The address of the number of totals of each key; four bytes each. */
export function totalsByKey(): usize {
  return counts.start;
}

/** Where the Native columns of the totals lie: currency (4 bytes each), impressions, clicks, cost (8). */
export function currenciesOfTotals(): usize {
  return currencies.start;
}

export function impressionsOfTotals(): usize {
  return impressions.start;
}

export function clicksOfTotals(): usize {
  return clicks.start;
}

export function costsOfTotals(): usize {
  return costs.start;
}
