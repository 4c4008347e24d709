/**
 * Preloaded into a process (see `preload.ts`), moves its clock by CLOCK_SHIFT_MS milliseconds:
 * everything that asks for the time of day, but no timer.
 */
const shift = Number(process.env.CLOCK_SHIFT_MS);
const trueNow = Date.now;
Date.now = () => trueNow() + shift;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [Date.now()] : args, newTarget),
  apply: (target) => new target(Date.now()).toString(),
});
