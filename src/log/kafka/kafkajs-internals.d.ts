/** A class of kafkajs that its own types leave out; see `idle-timers.ts`. */
declare module 'kafkajs/src/network/requestQueue/index.js' {
  export default class RequestQueue {
    readonly pending: readonly unknown[];
    /** Milliseconds since the epoch; in the past, or negative, when the broker asks for no pause. */
    readonly throttledUntil: number;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    checkPendingRequests(): void;
    scheduleCheckPendingRequests(): void;
  }
}
