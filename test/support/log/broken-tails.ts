import { Failure } from '../../../src/domain/failure.js';
import type { Tail, UploadLog } from '../../../src/log/upload-log.js';

/** An empty log whose tails fail when the test says so. */
export class BrokenTails {
  private readonly failure = new Failure();

  get log(): UploadLog {
    const tail: Tail = {
      failed: this.failure.promise,
      reached: () => Promise.resolve(),
      stop: () => Promise.resolve(),
    };
    return {
      committedOffsets: () => Promise.resolve([0]),
      endOffsets: () => Promise.resolve([0]),
      tail: () => Promise.resolve(tail),
    } as unknown as UploadLog;
  }

  break(reason: string): void {
    this.failure.report(new Error(reason));
  }
}
