import { ClientGoneError } from '../../../src/gateway/http/problem.js';

/** The body of a request, piece by piece. */
export class Body {
  private readonly pieces: Buffer[] = [];
  private isComplete = false;
  private error: Error | undefined;
  private wake: () => void = () => undefined;

  push(piece: Buffer): void {
    this.pieces.push(piece);
    this.wake();
  }

  end(): void {
    this.isComplete = true;
    this.wake();
  }

  /** The client is gone, or the upload cannot be written. */
  fail(error: Error = new ClientGoneError()): void {
    this.error ??= error;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Buffer> {
    for (;;) {
      if (this.error !== undefined) throw this.error;
      const piece = this.pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.isComplete) return;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
