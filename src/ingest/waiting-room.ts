/** What an upload takes beside its file: measured with prepared files of one and of ten rows. */
const BESIDE_BYTES = 16 * 1024;

/**
 * Bounds the bytes of complete uploads that wait for validation and the warehouse.
 *
 * Ask it for each upload before it is put together, also in the middle of a batch of records: a
 * thousand ends fit into one batch. At most one upload goes beyond the bound; otherwise small ones
 * would pass a large one for ever.
 */
export class WaitingRoom {
  private bytes = 0;
  /** Each makes one that waits look again. */
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly maxBytes: number) {}

  /**
   * Resolves with true when the upload may come in; give its bytes back when it leaves.
   *
   * @param isWanted whether the upload still is; if not, resolves with false after the next `wake`
   */
  async enter(bytes: number, isWanted: () => boolean): Promise<boolean> {
    while (isWanted()) {
      if (this.bytes < this.maxBytes) {
        this.bytes += bytes + BESIDE_BYTES;
        return true;
      }
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    return false;
  }

  leave(bytes: number): void {
    this.bytes -= bytes + BESIDE_BYTES;
    this.wake();
  }

  /** Makes those who wait look again whether they are still wanted. */
  wake(): void {
    for (const lookAgain of this.waiting.splice(0)) lookAgain();
  }
}
