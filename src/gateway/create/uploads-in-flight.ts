import { Injectable } from '@nestjs/common';
import { uploadsReceiving } from '../../ops/metrics.js';
import { shuttingDown } from '../http/problem.js';

/** The uploads that this gateway is busy with, so that a shutdown can wait for them. */
@Injectable()
export class UploadsInFlight {
  private count = 0;
  private isClosed = false;
  private idle: () => void = () => undefined;

  /**
   * Begins an upload; the returned function ends it.
   *
   * @throws Problem 503 once closed
   */
  begin(): () => void {
    if (this.isClosed) throw shuttingDown();
    this.count += 1;
    uploadsReceiving.inc();
    return () => {
      this.count -= 1;
      uploadsReceiving.dec();
      if (this.count === 0) this.idle();
    };
  }

  /** From now on no upload begins. */
  close(): void {
    this.isClosed = true;
  }

  /** Resolves when no upload is under way, or after `timeoutMs`; whether none is. */
  async finished(timeoutMs: number): Promise<boolean> {
    if (this.count === 0) return true;
    return await new Promise((resolve) => {
      const timer = setTimeout(() => {
        resolve(false);
      }, timeoutMs);
      this.idle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
