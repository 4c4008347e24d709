/** For 250,000 keys: 53 bytes each, and the account's name. What does not fit has memory of its own. */
export const ROOM_BYTES = 32 * 1024 * 1024;
/** One for each insert that a family may have under way, or for each family. */
const MOST_KEPT = 2;

/** Memory for one block. */
export class BlockRoom {
  private readonly bytes = Buffer.alloc(ROOM_BYTES);
  private used = 0;

  /** So many bytes, of whatever content, that begin at a multiple of eight. */
  take(length: number): Buffer<ArrayBuffer> {
    const end = this.used + length;
    if (end > ROOM_BYTES) return Buffer.allocUnsafeSlow(length);
    const taken = this.bytes.subarray(this.used, end);
    this.used = Math.ceil(end / 8) * 8;
    return taken;
  }

  clear(): void {
    this.used = 0;
  }
}

/**
 * Memory for the columns that a block has beside its uploads' own, used again and again.
 *
 * They live as long as an insert, so they would outlive the collector's young generation: with memory
 * of their own each, the blocks of 80 files brought four to six full collections, and now none.
 */
export class BlockMemory {
  // From the start: V8 collects its whole heap when so much comes later (and nothing is resident before it is used).
  private readonly kept = Array.from({ length: MOST_KEPT }, () => new BlockRoom());

  lend(): BlockRoom {
    return this.kept.pop() ?? new BlockRoom();
  }

  /** Nothing that was written to it is needed any more. */
  giveBack(room: BlockRoom): void {
    if (this.kept.length === MOST_KEPT) return;
    room.clear();
    this.kept.push(room);
  }
}
