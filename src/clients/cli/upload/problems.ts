import { MESSAGES_A_COLUMN } from '../../../csv/findings.js';

interface ColumnProblems {
  /** The first of the file, in the order of its rows. */
  readonly first: { readonly row: number; readonly message: string }[];
  count: number;
}

/** What is wrong with a file, by column: the first messages in the order of its rows, and how many more. */
export class Problems {
  private readonly columns = new Map<string, ColumnProblems>();

  get any(): boolean {
    return this.columns.size > 0;
  }

  /** @param row where the message belongs; 0: to the file as a whole */
  add(column: string, row: number, message: string): void {
    const known = this.of(column);
    if (known.first.length === MESSAGES_A_COLUMN && row >= known.first.at(-1)!.row) known.count++;
    else this.keep(known, row, message);
  }

  /** A message about the file that is given in any case: without room in place of the last one. */
  addForCertain(column: string, message: string): void {
    this.keep(this.of(column), 0, message);
  }

  /** A message about the file as a whole, which several of its parts may have. */
  addOnce(column: string, message: string): void {
    const isKnown = this.of(column).first.some((known) => known.message === message);
    if (!isKnown) this.add(column, 0, message);
  }

  /** Further problems of a column, of which only the number is known. */
  addUnsaid(column: string, count: number): void {
    this.of(column).count += count;
  }

  /** By column its messages, as in the reason of a request. */
  byColumn(): Record<string, string[]> {
    return Object.fromEntries(
      Array.from(this.columns, ([column, { first, count }]) => [
        column,
        [
          ...first.map(({ message }) => message),
          ...(count > first.length ? [`and ${count - first.length} more`] : []),
        ],
      ]),
    );
  }

  /** Lines for people, indented. */
  lines(): string[] {
    return Object.entries(this.byColumn()).flatMap(([column, messages]) => [
      `  ${column}`,
      ...messages.map((message) => `    ${message}`),
    ]);
  }

  private keep(known: ColumnProblems, row: number, message: string): void {
    known.count++;
    const { first } = known;
    if (first.length === MESSAGES_A_COLUMN) first.pop();
    const at = first.findIndex((other) => other.row > row);
    first.splice(at === -1 ? first.length : at, 0, { row, message });
  }

  private of(column: string): ColumnProblems {
    let known = this.columns.get(column);
    if (known === undefined) {
      known = { first: [], count: 0 };
      this.columns.set(column, known);
    }
    return known;
  }
}
