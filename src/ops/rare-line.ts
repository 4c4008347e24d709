const LOG_MS = 10_000;

/** Writes a line at most every ten seconds: what fails, fails often. */
export class RareLine {
  private writtenAt = -Infinity;

  write(line: () => void): void {
    const now = performance.now();
    if (now - this.writtenAt < LOG_MS) return;
    this.writtenAt = now;
    line();
  }
}
