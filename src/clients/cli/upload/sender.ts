import {
  type FamilyName,
  ProblemError,
  type UploadClient,
  UploadClientError,
} from '../../api/index.js';
import type { Journal } from './journal.js';
import type { DividedFile, PartStore, StoredPart } from './part-store.js';

/** Instead of 404: the service keeps a request for a limited time. */
const FORGOTTEN = 'the service no longer knows the request: upload again without --resume';

/**
 * Sends parts and follows each to its final state.
 *
 * Parts of one file share no key and go side by side. The last accepted upload of a key wins, so no
 * part of a file is sent before every part of the file before it is accepted. Once a part cannot be
 * sent, no further one is.
 */
export class Sender {
  /** By part, why it could not be sent, or not followed after it was accepted. */
  readonly errors = new Map<string, string>();
  /** Whether the service did not answer, or said that it is not available. */
  isAway = false;
  /** Whether the same command would meet the same again: a request is forgotten, or the token refused. */
  isOver = false;
  /** An error of this program. */
  private failure: unknown;

  /** @param settled is called when a part is finished, or cannot be sent or followed any further */
  constructor(
    private readonly client: UploadClient,
    private readonly family: FamilyName,
    private readonly store: PartStore,
    private readonly journal: Journal,
    private readonly settled: (file: DividedFile, part: StoredPart) => void,
    private readonly signal: AbortSignal,
  ) {}

  private get isStopped(): boolean {
    return this.signal.aborted || this.errors.size > 0;
  }

  /** @param concurrency how many parts are under way at once, from sending to the end */
  async send(files: readonly DividedFile[], concurrency: number): Promise<void> {
    const underWay = new Set<Promise<void>>();
    for (const file of files) {
      const accepted: Promise<void>[] = [];
      for (const part of file.parts) {
        while (underWay.size >= concurrency) await Promise.race(underWay);
        if (this.isStopped) break;
        accepted.push(
          new Promise((resolve) => {
            const upload = this.upload(file, part, resolve).finally(() => {
              underWay.delete(upload);
            });
            underWay.add(upload);
          }),
        );
      }
      await Promise.all(accepted);
      if (this.isStopped) break;
    }
    await Promise.all(underWay);
    if (this.failure !== undefined) throw this.failure as Error;
  }

  /** Never rejects. */
  private async upload(file: DividedFile, part: StoredPart, accepted: () => void): Promise<void> {
    const { client, family, journal, signal } = this;
    const known = journal.get(part.id);
    try {
      let progress = known;
      if (progress === undefined) {
        const bytes = this.store.bytes(part);
        const idempotencyKey = journal.idempotencyKey(part.id, bytes);
        const { requestId } = await client.create(family, bytes, { idempotencyKey, signal });
        progress = { requestId };
        journal.set(part.id, progress);
      }
      accepted();
      if (progress.record === undefined) {
        const { requestId } = progress;
        const record = await client.finished(family, requestId, { signal });
        journal.set(part.id, { requestId, record });
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof UploadClientError)) this.failure ??= error;
      else if (error.isPassing) this.isAway = true;
      const status = error instanceof ProblemError ? error.status : undefined;
      const isForgotten = known !== undefined && status === 404;
      if (isForgotten || status === 401) this.isOver = true;
      this.errors.set(part.id, isForgotten ? FORGOTTEN : (error as Error).message);
    } finally {
      accepted();
    }
    this.settled(file, part);
  }
}
