/**
 * Preload (see `preload.ts`): shifts the time of day of the process by CLOCK_SHIFT_MS milliseconds.
 * Timers are not affected.
 */
const shift = Number(process.env.CLOCK_SHIFT_MS);
const trueNow = Date.now;
Date.now = () => trueNow() + shift;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [Date.now()] : args, newTarget),
  apply: (target) => new target(Date.now()).toString(),
});
