import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

/** How often requests that wait for others in flight are looked at; kafkajs's own value. */
const CHECK_MS = 10;

/**
 * Fixes kafkajs 2.2.4 in this process: with nothing waiting to be sent, a connection sets its
 * check timer with a negative delay, which Node takes as one millisecond, and each check sets the
 * next one. So every connection that has had a request wakes the process a thousand times a second,
 * 4 to 5 % of a core, and newer versions of Node warn of it (TimeoutNegativeWarning).
 *
 * Without waiting requests there is nothing to check, and enqueueing one sets the timer.
 */
export function mendIdleTimers(): void {
  RequestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length === 0 || this.throttleCheckTimeoutId !== null) return;
    const throttledMs = this.throttledUntil - Date.now();
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      throttledMs > 0 ? throttledMs : CHECK_MS,
    );
  };
}
