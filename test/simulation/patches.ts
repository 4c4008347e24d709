import crypto from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

import { Random } from './random.js';
// Imported first, because it keeps Node's own `setImmediate`.
import './time.js';
import type { SimulatedTime } from './time.js';

/**
 * Replaces Node's timers, clocks and random numbers with simulated ones, and refuses real files and
 * timers. Import it before the service's modules, so that they get the replacements.
 */

let time: SimulatedTime | undefined;
let random = new Random('none');

/** Simulates everything from now on, until `leave`. */
export function enter(simulated: SimulatedTime, numbers: Random): void {
  time = simulated;
  random = numbers;
}

export function leave(): void {
  time = undefined;
}

const RealDate = Date;
const { performance } = globalThis;
const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  now: performance.now.bind(performance),
  random: Math.random.bind(Math),
};
type Callback = (...args: unknown[]) => void;

/** Stands in for a timer. Timers never keep a simulated process alive. */
class SimulatedTimer {
  isSet = true;

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

function begin(run: () => void, milliseconds: number, isRepeated: boolean): SimulatedTimer {
  const timer = new SimulatedTimer();
  const simulated = time!;
  const { current } = simulated;
  const set = (): void => {
    simulated.after(current, Math.max(1, milliseconds), () => {
      if (!timer.isSet) return;
      if (isRepeated) set();
      run();
    });
  };
  set();
  return timer;
}

function end(timer: unknown, clear: (timer: never) => void): void {
  if (timer instanceof SimulatedTimer) timer.isSet = false;
  else if (timer !== undefined) clear(timer as never);
}

/** The wall clock of the current actor. */
function wallClock(): number {
  return time === undefined ? RealDate.now() : Math.floor(time.now() + time.current.skewMs);
}

class SimulatedDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(wallClock());
    else super(...(given as [number]));
  }

  static override now(): number {
    return wallClock();
  }
}

Object.assign(globalThis, {
  Date: SimulatedDate,
  setTimeout: (run: Callback, ms = 0, ...args: unknown[]) =>
    time === undefined
      ? real.setTimeout(run, ms, ...args)
      : begin(
          () => {
            run(...args);
          },
          ms,
          false,
        ),
  setInterval: (run: Callback, ms = 0, ...args: unknown[]) =>
    time === undefined
      ? real.setInterval(run, ms, ...args)
      : begin(
          () => {
            run(...args);
          },
          ms,
          true,
        ),
  setImmediate: (run: Callback, ...args: unknown[]) =>
    time === undefined
      ? real.setImmediate(run, ...args)
      : begin(
          () => {
            run(...args);
          },
          0,
          false,
        ),
  clearTimeout: (timer: unknown) => {
    end(timer, real.clearTimeout);
  },
  clearInterval: (timer: unknown) => {
    end(timer, real.clearTimeout);
  },
  clearImmediate: (timer: unknown) => {
    end(timer, real.clearImmediate);
  },
});
performance.now = () => (time === undefined ? real.now() : time.elapsed);
Math.random = () => (time === undefined ? real.random() : random.next());

const realSleep = timers.setTimeout;
const realTurn = timers.setImmediate;
const realBytes = crypto.randomBytes;
Object.assign(timers, {
  setTimeout: (ms: number, value: unknown, options?: { signal?: AbortSignal }) => {
    if (time === undefined) return realSleep(ms, value, options);
    return new Promise((resolve, reject) => {
      const { signal } = options ?? {};
      const abort = (): void => {
        reject(signal!.reason as Error);
      };
      if (signal?.aborted === true) abort();
      signal?.addEventListener('abort', abort, { once: true });
      begin(
        () => {
          resolve(value);
        },
        ms,
        false,
      );
    });
  },
  setImmediate: (value: unknown) =>
    time === undefined
      ? realTurn(value)
      : new Promise((resolve) =>
          begin(
            () => {
              resolve(value);
            },
            0,
            false,
          ),
        ),
});
Object.assign(crypto, {
  randomBytes: (count: number) => (time === undefined ? realBytes(count) : random.bytes(count)),
  randomUUID: refused('crypto.randomUUID', crypto.randomUUID),
});
// The kernel keeps its hash key across seeds, so the key must be the same for every seed.
const kernelKey = new Random('kernel');
globalThis.crypto.getRandomValues = <T>(array: T): T => {
  const view = array as unknown as Int32Array;
  for (let i = 0; i < view.length; i++) view[i] = kernelKey.int(2 ** 31);
  return array;
};
for (const functions of [fs, fs.promises]) {
  const table = functions as unknown as Record<string, unknown>;
  for (const [name, value] of Object.entries(table)) {
    if (typeof value !== 'function' || /^[A-Z_]/.test(name)) continue;
    table[name] = refused(name, value as Callback);
  }
}
syncBuiltinESMExports();

function refused<F extends (...args: never[]) => unknown>(name: string, use: F): F {
  const guarded = function (this: unknown, ...args: never[]): unknown {
    if (time !== undefined) throw new Error(`${name} is real and was used in the simulation`);
    return Reflect.apply(use, this, args);
  };
  return Object.assign(guarded, use);
}
