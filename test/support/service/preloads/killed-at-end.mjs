/**
 * Preload for a gateway (see `preload.ts`): kills the process with SIGKILL right before or right
 * after the log has the `end` of an upload.
 */
import { UploadWriter } from '../../../../dist/gateway/create/receive/upload-writer.js';

const end = UploadWriter.prototype.end;
UploadWriter.prototype.end = async function (...args) {
  if (process.env.KILLED_AT_END === 'after') await end.apply(this, args);
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
};
