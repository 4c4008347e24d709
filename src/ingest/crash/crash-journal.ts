import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';

/** Lines are appended for every upload; beyond this the file is written anew with what still counts. */
const COMPACT_LINES = 20_000;

/**
 * Remembers, over the death of the process, which uploads it was processing and how often that has
 * ended a process. A file of lines: `+id` begun beside others, `*id` begun alone, `-id` ended,
 * `=id n` so many deaths before.
 *
 * A process that ends while it processes many uploads makes each of them suspect, once; only one
 * that is processed alone is counted further. So uploads that were merely there when a process was
 * killed are not taken for its killers.
 *
 * Written without a sync: what is to be survived is the end of the process, not of the machine. A
 * clean stop leaves no file; one after an exception does.
 */
export class CrashJournal {
  /** By upload: the line that says so. */
  private readonly inProcess = new Map<string, string>();
  private readonly deaths: Map<string, number>;
  private file: number;
  private lines = 0;
  private isClosed = false;

  constructor(private readonly path: string) {
    this.deaths = readDeaths(path);
    this.file = this.rewrite();
  }

  /** How many processes have ended while they processed the upload; at most 1 of them beside others. */
  deathsOf(requestId: string): number {
    return this.deaths.get(requestId) ?? 0;
  }

  begin(requestId: string, isAlone: boolean): void {
    const line = `${isAlone ? '*' : '+'}${requestId}`;
    this.inProcess.set(requestId, line);
    this.append(line);
  }

  end(requestId: string): void {
    this.deaths.delete(requestId);
    if (this.inProcess.delete(requestId)) this.append(`-${requestId}`);
  }

  /**
   * What is told of it from now on is not written:
   * the file's number may be another file's by then.
   *
   * @param isKept whether something unfinished ends the process; otherwise nothing of it has
   */
  close(isKept = false): void {
    this.isClosed = true;
    closeSync(this.file);
    if (!isKept) rmSync(this.path, { force: true });
  }

  private append(line: string): void {
    if (this.isClosed) return;
    writeSync(this.file, `${line}\n`);
    if (++this.lines < COMPACT_LINES) return;
    closeSync(this.file);
    this.file = this.rewrite();
  }

  private rewrite(): number {
    const counts = [...this.deaths].map(([requestId, deaths]) => `=${requestId} ${deaths}\n`);
    const begun = [...this.inProcess.values()].map((line) => `${line}\n`);
    writeFileSync(`${this.path}.new`, [...counts, ...begun].join(''));
    renameSync(`${this.path}.new`, this.path);
    this.lines = counts.length + begun.length;
    return openSync(this.path, 'a');
  }
}

function readDeaths(path: string): Map<string, number> {
  const deaths = new Map<string, number>();
  const begun = new Map<string, 'alone' | 'beside others'>();
  for (const line of linesOf(path)) {
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

/** A line that the process did not finish writing is none. */
function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
