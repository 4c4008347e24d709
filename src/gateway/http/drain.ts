import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiRequest } from './call.js';

const MAX_DRAIN_MS = 5_000;
const MAX_DRAIN_BYTES = 8 * 1024 * 1024;

/** Whether bytes of the request's body may still be on their way. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return !request.complete && (encoding !== undefined || Number(length ?? 0) > 0);
}

/**
 * Takes the rest of the body off a connection whose answer is written but not ended, then ends it.
 *
 * A client that is still sending reads its answer only if the server goes on reading: a socket that
 * is closed with unread bytes is reset, and a reset discards what the client has not read. The
 * Content-Length tells the client where the answer ends, so it need not wait for the connection's
 * end.
 */
export function drain(request: ApiRequest, response: ServerResponse): void {
  const { socket } = request;
  const endConnection = (): void => {
    if (request.destroyed) return;
    let left = MAX_DRAIN_BYTES;
    const timer = setTimeout(() => socket.destroy(), MAX_DRAIN_MS);
    request.on('data', (piece: Buffer) => {
      left -= piece.length;
      if (left < 0) socket.destroy();
    });
    request.once('end', () => {
      clearTimeout(timer);
      response.end();
    });
    request.once('close', () => {
      clearTimeout(timer);
    });
    request.resume();
    // A body may never come; the end of our side tells the client to close its own.
    if (request.awaitsContinue === true) socket.end();
  };
  // Answers to earlier requests on the connection come first. Node writes this one after the event.
  if (response.socket === null) response.once('socket', () => setImmediate(endConnection));
  else endConnection();
}
