import type { Logger } from '../../ops/logger.js';
import { FullDisk } from '../files/full-disk.js';
import type { LineFile, WorkingFiles } from '../files/working-files.js';

/** After so many appended lines the file is rewritten with the lines that still count. */
const COMPACT_LINES = 20_000;

/**
 * Remembers across a crash which uploads the process was processing, and how many processes each
 * has ended. A file of lines: `+id` begun beside others, `*id` begun alone, `-id` ended, `=id n` so
 * many deaths before.
 *
 * A process that ends while it processes many uploads makes each of them a suspect, once. Only one
 * that is processed alone is counted further. So uploads that merely were there when a process was
 * killed are not blamed.
 *
 * No upload is processed before the file says so: while the disk is full, uploads wait. The file is
 * not synced, because it has to survive the end of the process, not of the machine. A clean stop
 * leaves no file; one after an exception does.
 */
export class CrashJournal {
  /** By upload: its line. */
  private readonly inProcess = new Map<string, string>();
  private readonly deaths: Map<string, number>;
  private readonly file: LineFile;
  private readonly fullDisk: FullDisk;
  /** Lines that are not in the file yet. */
  private pending: string[] = [];
  /**
   * Appended since the file was rewritten. The lines of an earlier process have been counted: the
   * first write replaces them.
   */
  private appended = COMPACT_LINES;
  private isClosed = false;

  constructor(files: WorkingFiles, path: string, logger: Logger) {
    this.fullDisk = new FullDisk(logger);
    this.file = files.lines(path);
    this.deaths = readDeaths(this.file.read());
  }

  /**
   * How many processes have ended while they processed the upload; at most one of them beside
   * others.
   */
  deathsOf(requestId: string): number {
    return this.deaths.get(requestId) ?? 0;
  }

  /** Resolves when the upload may be processed. */
  begin(requestId: string, isAlone: boolean): Promise<void> {
    const line = `${isAlone ? '*' : '+'}${requestId}`;
    this.inProcess.set(requestId, line);
    this.pending.push(line);
    return this.fullDisk.outlasting(() => {
      this.write();
    });
  }

  end(requestId: string): void {
    const wasCounted = this.deaths.delete(requestId);
    if (this.inProcess.delete(requestId) || wasCounted) this.note(`-${requestId}`);
  }

  /** Processing ends for now. The processes that the upload has ended still count. */
  putOff(requestId: string): void {
    if (!this.inProcess.delete(requestId)) return;
    const deaths = this.deathsOf(requestId);
    this.note(`-${requestId}`, ...(deaths > 0 ? [`=${requestId} ${deaths}`] : []));
  }

  /**
   * Writes no further lines.
   *
   * @param isKept whether the file stays, because a failure ends the process and the next one is to
   * suspect the uploads under way
   */
  close(isKept = false): void {
    this.isClosed = true;
    this.fullDisk.close();
    if (isKept) this.file.close();
    else this.file.remove();
  }

  private note(...lines: readonly string[]): void {
    this.pending.push(...lines);
    try {
      this.write();
    } catch {
      // Nothing waits for them: they are written with the next line, which reports the failure.
    }
  }

  private write(): void {
    if (this.isClosed || this.pending.length === 0) return;
    if (this.appended < COMPACT_LINES) {
      this.file.append(textOf(this.pending));
      this.appended += this.pending.length;
    } else {
      const counts = [...this.deaths].map(([requestId, deaths]) => `=${requestId} ${deaths}`);
      this.file.replace(textOf([...counts, ...this.inProcess.values()]));
      this.appended = 0;
    }
    this.pending = [];
  }
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function readDeaths(text: string): Map<string, number> {
  const deaths = new Map<string, number>();
  const begun = new Map<string, 'alone' | 'beside others'>();
  // A line that the process did not finish writing does not count.
  for (const line of text.split('\n').slice(0, -1)) {
    const [requestId = '', count] = line.slice(1).split(' ');
    if (line.startsWith('+')) begun.set(requestId, 'beside others');
    else if (line.startsWith('*')) begun.set(requestId, 'alone');
    else if (line.startsWith('=')) deaths.set(requestId, Number(count));
    else if (line.startsWith('-')) {
      begun.delete(requestId);
      deaths.delete(requestId);
    }
  }
  for (const [requestId, how] of begun) {
    const before = deaths.get(requestId) ?? 0;
    deaths.set(requestId, how === 'alone' ? before + 1 : Math.max(before, 1));
  }
  return deaths;
}
