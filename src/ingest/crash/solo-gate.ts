import type { CrashJournal } from './crash-journal.js';

/** After so many processes have ended while they processed an upload, it is not tried again. */
const MAX_DEATHS = 3;
const QUIET_MS = 1_000;

/**
 * Lets uploads into processing. One that may have ended a process waits for a quiet time, longer
 * with each death, and is then processed alone: whatever kills processes at random (an operator, a
 * machine short of memory) then hardly ever strikes while it runs, and what strikes again and again
 * is the upload itself.
 */
export class SoloGate<Upload extends { readonly requestId: string }> {
  /** Those whose quiet time is over. */
  private readonly suspects: Upload[] = [];
  private readonly waiting: Upload[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private inside = 0;
  private isSoloInside = false;
  private isClosed = false;

  /**
   * @param enter begins the processing of an upload
   * @param refuse is given an upload that has ended too many processes
   * @param broken the journal cannot be written
   */
  constructor(
    private readonly journal: CrashJournal,
    private readonly enter: (upload: Upload) => void,
    private readonly refuse: (upload: Upload, deaths: number) => void,
    private readonly broken: (error: unknown) => void,
  ) {}

  add(upload: Upload): void {
    const deaths = this.journal.deathsOf(upload.requestId);
    if (deaths >= MAX_DEATHS) this.refuse(upload, deaths);
    else if (deaths > 0) this.later(upload, QUIET_MS * 2 ** deaths);
    else {
      this.waiting.push(upload);
      this.open();
    }
  }

  /** To be called when the processing of an upload that entered has ended. */
  left(upload: Upload): void {
    this.journal.end(upload.requestId);
    this.inside--;
    if (this.inside === 0) this.isSoloInside = false;
    this.open();
  }

  close(): void {
    this.isClosed = true;
    for (const timer of this.timers) clearTimeout(timer);
  }

  private later(upload: Upload, milliseconds: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.suspects.push(upload);
      this.open();
    }, milliseconds);
    this.timers.add(timer);
  }

  private open(): void {
    const suspect = this.suspects[0];
    if (suspect !== undefined) {
      if (this.inside > 0) return;
      this.suspects.shift();
      this.isSoloInside = true;
      this.let(suspect);
    } else if (!this.isSoloInside) {
      for (const upload of this.waiting.splice(0)) this.let(upload);
    }
  }

  private let(upload: Upload): void {
    this.inside++;
    this.journal.begin(upload.requestId, this.isSoloInside).then(
      () => {
        if (!this.isClosed) this.enter(upload);
      },
      (error: unknown) => {
        if (!this.isClosed) this.broken(error);
      },
    );
  }
}
