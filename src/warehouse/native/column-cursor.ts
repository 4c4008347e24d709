/** How long one value of a Native column is, in bytes; `text`: a varint says it. */
export type ValueSize = number | 'text';

/** Cuts a Native column into pieces of whole values, from the first to the last. */
export class ColumnCursor {
  private at = 0;

  constructor(
    private readonly column: Uint8Array,
    private readonly size: ValueSize,
  ) {}

  /** The next so many values. */
  take(count: number): Uint8Array {
    const from = this.at;
    this.at = this.size === 'text' ? this.afterTexts(count) : from + count * this.size;
    return this.column.subarray(from, this.at);
  }

  private afterTexts(count: number): number {
    const { column } = this;
    let at = this.at;
    for (let value = 0; value < count; value++) {
      let length = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = column[at++]!;
        length |= (byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
      at += length;
    }
    return at;
  }
}
