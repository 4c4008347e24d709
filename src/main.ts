import 'reflect-metadata';

import { ConfigError } from './config/config.js';
import { readConfig } from './config/read-config.js';
import { messageOf } from './domain/failure.js';
import { sleep } from './domain/retry.js';
import { createLogger } from './ops/logger.js';
import { Watchdog } from './ops/watchdog.js';
import { setUpRuntime } from './service/runtime.js';
import { Service } from './service/service.js';

/** How long a stop may take beyond SHUTDOWN_SECONDS, even when everything else hangs. */
const END_SECONDS = 5;
/** A Ctrl-C under npm arrives twice, because npm passes it on. */
const SAME_SIGNAL_MS = 1_000;
const POOL_MS = 20;
const EXIT = { failed: 1, refused: 2 } as const;

/** Starts the service, and stops it cleanly at a signal or when it cannot go on. */
async function main(): Promise<void> {
  setUpRuntime();
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel);
  const watchdog = new Watchdog();
  const endInTime = (): void => {
    watchdog.endWithin(config.limits.shutdownMs / 1_000 + END_SECONDS);
  };
  const stopping = new AbortController();
  const signalled = onSignal((signal) => {
    endInTime();
    stopping.abort(new Stopped(signal));
  });

  const service = new Service(config, logger);
  let isListening = false;
  try {
    // A component may fail while others still start.
    await Promise.race([service.start(stopping.signal), signalled, service.failed]);
    isListening = true;
    watchdog.started();
    logger.info({ ...service.ports, roles: [...config.roles] }, 'listening');
    await Promise.race([service.failed, signalled]);
  } catch (error) {
    stopping.abort();
    if (error instanceof Stopped) {
      const { signal } = error;
      logger.info({ signal }, isListening ? 'stopping' : 'stopped before the start was complete');
    } else if (isListening) {
      logger.fatal({ err: error }, 'cannot go on, stopping');
      process.exitCode = EXIT.failed;
    } else {
      process.stderr.write(`${messageOf(error)}\n`);
      process.exitCode = error instanceof ConfigError ? EXIT.refused : EXIT.failed;
    }
  }
  endInTime();
  await service.stop();
  if (isListening) logger.info('stopped');
  await exit();
}

/** Ends the service at a signal; not a failure. */
class Stopped extends Error {
  constructor(readonly signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
  }
}

/**
 * Calls `onFirst` and rejects with `Stopped` at the first signal. A second signal ends the process
 * at once: its sender does not want to wait.
 */
function onSignal(onFirst: (signal: NodeJS.Signals) => void): Promise<never> {
  return new Promise((_, reject) => {
    let first: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (first === undefined) {
          first = performance.now();
          onFirst(signal);
          reject(new Stopped(signal));
        } else if (performance.now() - first >= SAME_SIGNAL_MS) {
          process.kill(process.pid, 'SIGKILL');
        }
      });
    }
  });
}

/**
 * process.exit waits for the threads of Node's pool, but ends the watchdog's thread first. So while
 * a pool thread waits for a file or a name server that does not answer, the watchdog is to end the
 * process.
 */
async function exit(): Promise<never> {
  const isPoolAwaited = (): boolean =>
    process
      .getActiveResourcesInfo()
      .some((kind) => /^(?:FSReq|GetAddrInfo|GetNameInfo)/.test(kind));
  while (isPoolAwaited()) await sleep(POOL_MS);
  process.exit();
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(error instanceof ConfigError ? EXIT.refused : EXIT.failed);
});
