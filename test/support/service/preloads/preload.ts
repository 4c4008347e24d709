/** Environment of a process whose clock is off by `milliseconds`. */
export function clockShiftedBy(milliseconds: number): Record<string, string> {
  return { ...preloading('shifted-clock.mjs'), CLOCK_SHIFT_MS: String(milliseconds) };
}

/** Environment of an ingest process that a file with `marker` kills. */
export function killedBy(marker: string): Record<string, string> {
  return { ...preloading('deadly-bytes.mjs'), DEADLY_MARKER: marker };
}

/** Environment of a gateway that dies `before` or `after` it has written an `end`. */
export function killedAtEnd(when: 'before' | 'after'): Record<string, string> {
  return { ...preloading('killed-at-end.mjs'), KILLED_AT_END: when };
}

/** Environment of a process whose log stops working at SIGUSR2. */
export function logDyingAtSignal(): Record<string, string> {
  return preloading('panicking-log.mjs');
}

/** Environment of a process whose main thread blocks for good soon after SIGTERM. */
export function blockedAtSignal(): Record<string, string> {
  return preloading('blocked-at-signal.mjs');
}

/** Environment of a process in which a thread of Node's pool waits for a FIFO for good. */
export function poolWaitingFor(fifo: string): Record<string, string> {
  return { ...preloading('pool-waiting.mjs'), WAITED_FIFO: fifo };
}

/** Environment of a process whose preparing threads throw or exit at certain files. */
export function unpreparable(throwing: string, ending: string): Record<string, string> {
  const markers = { THROWING_MARKER: throwing, ENDING_MARKER: ending };
  return { ...preloading('unpreparable-bytes.mjs'), ...markers };
}

/** Environment of a process whose tails stall at SIGUSR2 and resume at the next one. */
export function stallingTails(): Record<string, string> {
  return preloading('stalled-tails.mjs');
}

/** Environment of a process that writes to `folder` which functions were called. */
export function writingCalls(folder: string): Record<string, string> {
  // V8 does not count all calls of functions that it has not compiled itself.
  const compiling = { NODE_DISABLE_COMPILE_CACHE: '1' };
  return { ...preloading('coverage.mjs'), ...compiling, COVERAGE_FOLDER: folder };
}

function preloading(file: string): Record<string, string> {
  return { NODE_OPTIONS: `--import=${new URL(file, import.meta.url).href}` };
}
