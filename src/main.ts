import 'reflect-metadata';

import { ConfigError, readConfig } from './config/read-config.js';
import type { Config } from './config/config.js';
import { createLogger, type Logger } from './ops/logger.js';
import { Service } from './service.js';

/** Starts the service, and stops it cleanly at a signal. */
async function main(): Promise<void> {
  const config = configOrExit();
  const logger = createLogger(config.logLevel);
  const stopping = new AbortController();
  const stopped = new Promise<string>((resolve) => {
    // Stays registered: a Ctrl-C reaches the process twice when npm passes it on as well.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        resolve(signal);
        stopping.abort();
      });
    }
  });

  const service = await startOrExit(config, logger, stopping.signal);
  logger.info({ ...service.ports, roles: [...config.roles] }, 'listening');

  try {
    const signal = await Promise.race([stopped, service.failed()]);
    logger.info({ signal }, 'stopping');
  } catch (error) {
    logger.fatal({ err: error }, 'cannot go on, stopping');
    process.exitCode = 1;
  }
  await service.stop();
  logger.info('stopped');
  process.exit();
}

async function startOrExit(config: Config, logger: Logger, signal: AbortSignal): Promise<Service> {
  try {
    return await Service.start(config, logger, signal);
  } catch (error) {
    if (signal.aborted) {
      logger.info('stopped before the start was complete');
      process.exit();
    }
    throw error;
  }
}

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
