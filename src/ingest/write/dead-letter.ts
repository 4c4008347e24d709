import { type Cause, setAside } from '../../log/uploads/dead-letter.js';
import { retrying } from '../../domain/retry.js';
import { isLogUnavailable } from '../../log/upload-log.js';
import { deadLetters } from '../../ops/metrics.js';
import type { StepDependencies } from '../dependencies.js';
import { isErased, type UploadInFlight } from '../upload-in-flight.js';
import { reasonOfFile } from '../../csv/findings.js';

const REASON = reasonOfFile(
  'the file could not be stored; it was set aside for the operators of the service',
);

/**
 * Sets aside an upload that cannot be processed, and fails it. Resolves when the log knows both.
 */
export async function deadLetter(
  { log, erased, publisher, aside, logger, signal }: StepDependencies,
  upload: UploadInFlight,
  cause: Cause,
): Promise<void> {
  if (isErased(erased, upload)) return;
  const { requestId, account } = upload;
  logger.error({ requestId, account, cause }, 'an upload is set aside');
  const waits = (error: unknown): boolean => {
    if (!isLogUnavailable(error)) return false;
    aside.waits([upload]);
    return true;
  };
  await retrying(() => setAside(log, upload, cause), waits, signal);
  deadLetters.inc({ family: upload.family, cause: cause.kind });
  await publisher.publish([upload], 'failed', REASON);
}
