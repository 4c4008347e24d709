import { Worker } from 'node:worker_threads';

/** An event loop that has not turned for so long is blocked for good. */
const BLOCKED_SECONDS = 60;
/** The same during the start: the embedded engine opens what is stored on the main thread. */
const BLOCKED_AT_START_SECONDS = 600;
const RENEW_MS = 1_000;

/**
 * Counts down whatever the main thread does. It counts its own turns, so that a process that was
 * stopped (SIGSTOP) goes on afterwards. Writing the last line may block, the kill may not.
 */
const THREAD = `
const { workerData: state } = require('node:worker_threads');
const { write } = require('node:fs');
const nothing = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  Atomics.wait(nothing, 0, 0, 1000);
  if (Atomics.sub(state, 0, 1) > 1) continue;
  const why = state[1] === 1 ? 'it did not end in time' : 'its main thread is blocked';
  write(2, 'the process kills itself: ' + why + '\\n', () => {});
  Atomics.wait(nothing, 0, 0, 100);
  process.kill(process.pid, 'SIGKILL');
}`;

/**
 * Ends a process that cannot end by itself. A thread counts down; the main thread's event loop sets
 * the count again each second, as long as the process is not to end.
 *
 * It kills the process. process.exit would wait for the threads of Node's pool, which may wait for
 * a disk, an engine or a name server; called on another thread it ends that thread alone. The
 * thread takes 10 MB and 20 ms.
 */
export class Watchdog {
  /** Seconds left, and 1 once they are not set again. */
  private readonly state = new Int32Array(new SharedArrayBuffer(8));
  private readonly renewing: NodeJS.Timeout;

  /**
   * @param blockedSeconds without a turn, after which the main thread counts as blocked for good,
   * until `started`
   */
  constructor(private blockedSeconds = BLOCKED_AT_START_SECONDS) {
    this.renew();
    this.renewing = setInterval(() => {
      this.renew();
    }, RENEW_MS).unref();
    // Without the environment: NODE_OPTIONS could load more than the thread itself takes.
    new Worker(THREAD, { eval: true, workerData: this.state, env: {}, execArgv: [] }).unref();
  }

  /** The start is complete. */
  started(): void {
    this.blockedSeconds = BLOCKED_SECONDS;
  }

  /** The process is to end within so many seconds from now. The first call counts. */
  endWithin(seconds: number): void {
    if (this.state[1] === 1) return;
    clearInterval(this.renewing);
    Atomics.store(this.state, 1, 1);
    Atomics.store(this.state, 0, seconds);
  }

  private renew(): void {
    Atomics.store(this.state, 0, this.blockedSeconds);
  }
}
