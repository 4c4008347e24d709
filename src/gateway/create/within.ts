import { LogUnavailableError } from '../../log/upload-log.js';

/**
 * What the log answers, if it does so in time.
 *
 * @throws LogUnavailableError for every failure of it: the client can but send again
 */
export function within<T>(
  timeoutMs: number,
  answer: Promise<T>,
  onTimeout?: () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      onTimeout?.();
      reject(new LogUnavailableError(`no answer of the log within ${timeoutMs} ms`));
    }, timeoutMs);
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(
          error instanceof LogUnavailableError
            ? error
            : new LogUnavailableError('the log failed', { cause: error }),
        );
      },
    );
  });
}
