import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * JSON lines on standard output. A line may name a request and an account; it never holds a value
 * of a file, a token or a file's name.
 */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}
