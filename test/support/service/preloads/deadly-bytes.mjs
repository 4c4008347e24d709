/**
 * Preloaded into an ingest process (see `preload.ts`), kills it with SIGKILL at the moment at which a
 * file that holds DEADLY_MARKER is handed to a preparing thread: as a fault in native code, or a
 * machine short of memory, would end it.
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
