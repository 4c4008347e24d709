const LOG_MS = 10_000;

/** Writes a log line at most every ten seconds, for failures that repeat. */
export class RareLine {
  private writtenAt = -Infinity;

  write(line: () => void): void {
    const now = performance.now();
    if (now - this.writtenAt < LOG_MS) return;
    this.writtenAt = now;
    line();
  }
}
