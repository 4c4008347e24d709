import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Nest's own messages as lines of the service's log. */
export class NestLog implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown): void {
    this.logger.debug({ source: 'nest' }, String(message));
  }

  warn(message: unknown): void {
    this.logger.warn({ source: 'nest' }, String(message));
  }

  error(message: unknown): void {
    this.logger.error({ source: 'nest' }, String(message));
  }
}
