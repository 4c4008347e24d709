/**
 * Preload for ingest (see `preload.ts`): kills the process with SIGKILL when a preparing thread
 * gets a file with DEADLY_MARKER. A fault in native code or a lack of memory would do the same.
 */
import { MessagePort } from 'node:worker_threads';

const marker = process.env.DEADLY_MARKER;
const post = MessagePort.prototype.postMessage;
MessagePort.prototype.postMessage = function (message, ...rest) {
  const parts = message?.task?.parts ?? [];
  if (parts.some((part) => Buffer.from(part.buffer).includes(marker))) {
    process.kill(process.pid, 'SIGKILL');
  }
  return post.call(this, message, ...rest);
};
