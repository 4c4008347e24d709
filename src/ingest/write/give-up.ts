import type { Cause } from '../../log/uploads/dead-letter.js';
import { setAside } from '../../log/uploads/set-aside.js';
import type { ErasureFence } from '../../domain/erasure-fence.js';
import { retrying } from '../../domain/retry.js';
import { LogUnavailableError, type UploadLog } from '../../log/upload-log.js';
import type { Logger } from '../../ops/logger.js';
import { deadLetters } from '../../ops/metrics.js';
import type { TransitionPublisher } from '../../status/publisher.js';
import { isErased, type UploadInFlight } from '../upload-in-flight.js';
import { reasonOfFile } from '../../csv/findings.js';

const REASON = reasonOfFile(
  'the file could not be stored; it was set aside for the operators of the service',
);

export interface GiveUpDependencies {
  readonly log: UploadLog;
  readonly fence: ErasureFence;
  readonly publisher: TransitionPublisher;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Sets an upload aside that cannot be processed, and fails it. Resolves when the log knows both. */
export async function giveUp(
  { log, fence, publisher, logger, signal }: GiveUpDependencies,
  flight: UploadInFlight,
  cause: Cause,
): Promise<void> {
  if (isErased(fence, flight)) return;
  const { requestId, account } = flight;
  logger.error({ requestId, account, cause }, 'an upload is set aside');
  await retrying(
    () => setAside(log, flight, cause),
    (error) => error instanceof LogUnavailableError,
    signal,
  );
  deadLetters.inc({ family: flight.family, cause: cause.kind });
  await publisher.publish([flight], 'failed', REASON);
}
