/**
 * Gauges that take some work to measure. It is done at most once at a time: whoever asks again
 * while it is slow gets the same result.
 */
export class Measurement {
  private endedAt = -Infinity;
  private running: Promise<void> | undefined;

  /**
   * @param work measures once
   * @param gauges emptied after a failure: no number is better than an old one
   * @param freshMs how long after its end it is not repeated
   * @param now milliseconds, on a clock that never steps
   */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly gauges: readonly { reset(): void }[],
    private readonly freshMs = 0,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Milliseconds since the last one ended; Infinity: none has. */
  get age(): number {
    return this.now() - this.endedAt;
  }

  /** @throws the error of `work` */
  async measure(): Promise<void> {
    if (this.running === undefined && this.age < this.freshMs) return;
    this.running ??= this.work()
      .catch((error: unknown) => {
        for (const gauge of this.gauges) gauge.reset();
        throw error;
      })
      .finally(() => {
        this.endedAt = this.now();
        this.running = undefined;
      });
    await this.running;
  }
}
