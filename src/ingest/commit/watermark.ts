/**
 * How far one partition may be committed: never past the first record of an upload that is not yet
 * durable in the warehouse.
 *
 * Holds are taken while the partition is read, so their offsets only grow, and a Map keeps the
 * order in which they were taken: the lowest is the first.
 */
export class Watermark {
  private readonly holds = new Map<string, number>();

  /** @param next the offset of the next record to be read */
  constructor(private next: number) {}

  /** Keeps the watermark at or below `offset` until the upload is released. The first hold of an upload counts. */
  hold(requestId: string, offset: number): void {
    if (!this.holds.has(requestId)) this.holds.set(requestId, offset);
  }

  release(requestId: string): void {
    this.holds.delete(requestId);
  }

  /** Every record below `next` has been read. */
  advance(next: number): void {
    this.next = Math.max(this.next, next);
  }

  /** The offset of the next record to be read. */
  get position(): number {
    return this.next;
  }

  get value(): number {
    for (const offset of this.holds.values()) return offset;
    return this.next;
  }
}
