/** Preload (see `preload.ts`): blocks the main thread for good soon after SIGTERM. */
const SOON_MS = 100;

process.on('SIGTERM', () => {
  setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), SOON_MS);
});
