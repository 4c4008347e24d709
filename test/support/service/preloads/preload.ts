/** What a process has in its environment so that its clock goes wrong by `milliseconds`. */
export function clockShiftedBy(milliseconds: number): Record<string, string> {
  return { ...preloading('shifted-clock.mjs'), CLOCK_SHIFT_MS: String(milliseconds) };
}

/** What an ingest process has in its environment so that a file with `marker` in it kills it. */
export function killedBy(marker: string): Record<string, string> {
  return { ...preloading('deadly-bytes.mjs'), DEADLY_MARKER: marker };
}

/** What a gateway has in its environment so that it dies `before` or `after` it has written an `end`. */
export function killedAtEnd(when: 'before' | 'after'): Record<string, string> {
  return { ...preloading('killed-at-end.mjs'), KILLED_AT_END: when };
}

/** What a process has in its environment so that its log can do nothing any more once it gets SIGUSR2. */
export function logDyingAtSignal(): Record<string, string> {
  return preloading('panicking-log.mjs');
}

/** What a process has in its environment so that its main thread is blocked for good soon after SIGTERM. */
export function blockedAtSignal(): Record<string, string> {
  return preloading('blocked-at-signal.mjs');
}

/** What a process has in its environment so that a thread of Node's pool waits for a FIFO for good. */
export function poolWaitingFor(fifo: string): Record<string, string> {
  return { ...preloading('pool-waiting.mjs'), WAITED_FIFO: fifo };
}

/** What a process has in its environment so that its preparing threads throw and end at certain files. */
export function unpreparable(throwing: string, ending: string): Record<string, string> {
  const markers = { THROWING_MARKER: throwing, ENDING_MARKER: ending };
  return { ...preloading('unpreparable-bytes.mjs'), ...markers };
}

/** What a process has in its environment so that its tails stall at SIGUSR2, and go on at the next. */
export function stallingTails(): Record<string, string> {
  return preloading('stalled-tails.mjs');
}

/** What a process has in its environment so that it writes to `folder` which functions have been called. */
export function writingCalls(folder: string): Record<string, string> {
  return { ...preloading('coverage.mjs'), COVERAGE_FOLDER: folder };
}

function preloading(file: string): Record<string, string> {
  return { NODE_OPTIONS: `--import=${new URL(file, import.meta.url).href}` };
}
