/** What a block of 250,000 keys has beside its uploads' columns: about 58 bytes a key. */
export const ROOM_BYTES = 16 * 1024 * 1024;

/** Memory for one block. */
export class BlockRoom {
  private readonly bytes = Buffer.alloc(ROOM_BYTES);
  private used = 0;

  /** So many bytes, of whatever content, that begin at a multiple of eight. */
  take(length: number): Buffer<ArrayBuffer> {
    const end = this.used + length;
    if (end > ROOM_BYTES) return Buffer.alloc(length);
    const taken = this.bytes.subarray(this.used, end);
    this.used = Math.ceil(end / 8) * 8;
    return taken;
  }

  clear(): void {
    this.used = 0;
  }
}

/**
 * Memory for what blocks have beside their uploads' columns, used again and again.
 *
 * It lives as long as an insert, so it would outlive the collector's young generation: with memory
 * of their own each, the blocks of 80 files brought four to six full collections, and now none.
 */
export class BlockMemory {
  private readonly free: BlockRoom[] = [];

  lend(): BlockRoom {
    return this.free.pop() ?? new BlockRoom();
  }

  /** Nothing that was written to it is needed any more. */
  giveBack(room: BlockRoom): void {
    room.clear();
    this.free.push(room);
  }
}
