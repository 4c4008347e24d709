import type { CrashJournal } from './crash-journal.js';

/** After an upload has ended so many processes it is not tried again. */
const MAX_DEATHS = 3;
const QUIET_MS = 1_000;

interface GatedUpload {
  readonly requestId: string;
}

/** An upload before the gate. The same request may come twice: its partition goes, and returns. */
interface Waiting {
  readonly upload: GatedUpload;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets uploads into processing. An upload that may have ended a process waits for a quiet time,
 * longer with each death, and is then processed alone. What kills processes at random (an operator,
 * a machine short of memory) then hardly ever strikes while it runs, so if the process ends again,
 * the upload is the cause.
 */
export class SoloGate {
  /** Uploads whose quiet time is over. */
  private readonly suspects: Waiting[] = [];
  private readonly waiting: Waiting[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly inside = new Set<GatedUpload>();
  private isSoloInside = false;
  private isSuspectsTurn = true;
  private isClosed = false;

  constructor(private readonly journal: CrashJournal) {}

  /**
   * Resolves when the upload may be processed and the journal says that it is; or with the number
   * of processes that it has ended, when it may not be tried again. Pending once closed.
   *
   * @throws what keeps the journal from being written
   */
  async enter(upload: GatedUpload): Promise<number | undefined> {
    const deaths = this.journal.deathsOf(upload.requestId);
    if (deaths >= MAX_DEATHS) return deaths;
    await new Promise<void>((resolve, reject) => {
      const waiting = { upload, resolve, reject };
      if (deaths > 0) this.later(waiting, QUIET_MS * 2 ** deaths);
      else {
        this.waiting.push(waiting);
        this.open();
      }
    });
    return undefined;
  }

  /** To be called when the processing of an upload that entered has ended. */
  leave(upload: GatedUpload): void {
    this.journal.end(upload.requestId);
    this.makeWay(upload);
  }

  /** Its processing is put off: others may enter. */
  putOff(upload: GatedUpload): void {
    this.journal.putOff(upload.requestId);
    this.makeWay(upload);
  }

  close(): void {
    this.isClosed = true;
    for (const timer of this.timers) clearTimeout(timer);
  }

  private makeWay(upload: GatedUpload): void {
    if (!this.inside.delete(upload)) return;
    if (this.inside.size === 0) this.isSoloInside = false;
    this.open();
  }

  private later(waiting: Waiting, milliseconds: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.suspects.push(waiting);
      this.open();
    }, milliseconds);
    this.timers.add(timer);
  }

  /** Suspects and the others take turns: there may be thousands of suspects after a crash. */
  private open(): void {
    if (this.isSoloInside) return;
    if (this.suspects.length > 0 && (this.isSuspectsTurn || this.waiting.length === 0)) {
      if (this.inside.size > 0) return;
      this.isSoloInside = true;
      this.isSuspectsTurn = false;
      this.let(this.suspects.shift()!);
    } else {
      this.isSuspectsTurn = true;
      for (const waiting of this.waiting.splice(0)) this.let(waiting);
    }
  }

  private let({ upload, resolve, reject }: Waiting): void {
    this.inside.add(upload);
    this.journal.begin(upload.requestId, this.isSoloInside).then(
      () => {
        if (!this.isClosed) resolve();
      },
      (error: unknown) => {
        if (!this.isClosed) reject(error);
      },
    );
  }
}
