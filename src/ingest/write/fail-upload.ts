import { type Cause, setAside } from '../../log/uploads/dead-letter.js';
import { retrying } from '../../domain/retry.js';
import { isLogUnavailable } from '../../log/upload-log.js';
import { deadLetters } from '../../ops/metrics.js';
import type { StepDependencies } from '../dependencies.js';
import { WarehouseError } from '../../warehouse/warehouse.js';
import type { NotStored } from './memory-trials.js';
import { isErased, type UploadInFlight } from '../upload-in-flight.js';
import { reasonOfFile } from '../../csv/findings.js';

const REASON = reasonOfFile(
  'the file could not be stored; it was set aside for the operators of the service',
);

/** Takes an upload that cannot be prepared, or that the warehouse refuses, to its final status. */
export async function failUpload(
  dependencies: StepDependencies,
  upload: UploadInFlight,
  why: NotStored,
): Promise<void> {
  if (why instanceof WarehouseError) {
    return deadLetter(dependencies, upload, { kind: 'rejected', code: why.code ?? null });
  }
  if (why.error !== undefined) {
    return deadLetter(dependencies, upload, { kind: 'exception', error: nameOf(why.error) });
  }
  const { publisher, logger } = dependencies;
  await publisher.publish([upload], 'failed', why.reason);
  const { requestId, account } = upload;
  logger.info({ requestId, account }, 'upload failed');
}

/**
 * Sets aside an upload that cannot be processed, and fails it. Resolves when the log knows both.
 */
export async function deadLetter(
  { log, erased, publisher, waits, logger, signal }: StepDependencies,
  upload: UploadInFlight,
  cause: Cause,
): Promise<void> {
  if (isErased(erased, upload)) return;
  const { requestId, account } = upload;
  logger.error({ requestId, account, cause }, 'an upload is set aside');
  const isWaitedFor = (error: unknown): boolean => {
    if (!isLogUnavailable(error)) return false;
    waits([upload]);
    return true;
  };
  await retrying(() => setAside(log, upload, cause), isWaitedFor, signal);
  deadLetters.inc({ family: upload.family, cause: cause.kind });
  await publisher.publish([upload], 'failed', REASON);
}

/** Never its text, which may hold a value of the file. */
function nameOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code ?? error.name;
}
