/** So many values of a column are said to be similar to others. */
export const MOST_SIMILAR = 20;

/** So many rows are named. */
const MOST_ROWS = 20;

/** Rows of a file with something in common: the first ones, and how many there are. */
export class RowList {
  readonly first: number[] = [];
  count = 0;

  add(row: number): void {
    this.count++;
    if (this.first.length < MOST_ROWS) this.first.push(row);
  }

  /** The rows of several lists, the first ones of all. */
  static of(lists: Iterable<Pick<RowList, 'first' | 'count'>>): RowList {
    const all = new RowList();
    for (const { first, count } of lists) {
      all.first.push(...first);
      all.count += count;
    }
    all.first.sort((a, b) => a - b).splice(MOST_ROWS);
    return all;
  }
}

/** The values in quotes, a few of many. */
export function listed(values: readonly string[], most = 3): string {
  const shown = values.slice(0, most).map((value) => `"${value}"`);
  const more = values.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
