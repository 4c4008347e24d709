import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';

import { compressBlocks } from './compressed/blocks.js';
import { contentTypeOf } from './content-types.js';
import type { EngineResult } from './engine-query.js';
import { EngineException } from './exception.js';
import { withProtocolVersion } from './native-revision.js';
import type { QueryRequest } from './request.js';

/**
 * Bytes held back before the status is sent: an error in a small result gets a status of its own.
 */
const HELD_BYTES = 64 * 1024;
const HELD_BYTES_WAIT_END = 8 * 1024 * 1024;
/** A client looks for an exception's text in the last 16 KiB. */
const EXCEPTION_BYTES = 15 * 1024;
/** How long a client that does not read may take. */
const LAST_WORDS_MS = 2_000;

/**
 * Sends a result as it is made. Throws while nothing is sent yet. A later error is written as
 * ClickHouse does, as a marked block with the text, and breaks the connection, so that no client
 * takes the part for the whole.
 *
 * @param version of the engine, which the text names
 */
export async function sendResult(
  response: ServerResponse,
  request: QueryRequest,
  format: string,
  result: EngineResult,
  version: string,
): Promise<void> {
  const started = performance.now();
  const native = format === 'Native' && request.protocolVersion > 0;
  const plain = bytesOf(result);
  const body = native ? withProtocolVersion(plain, request.protocolVersion) : plain;

  const sent = request.inBlocks ? compressBlocks : asIs;
  const held: Buffer[] = [];
  const whole = await hold(body, held, request.waitEnd ? HELD_BYTES_WAIT_END : HELD_BYTES);
  const first: Buffer[] = [];
  for (const chunk of held) first.push(await sent(chunk));

  const tag = randomBytes(8).toString('hex');
  response.statusCode = 200;
  response.setHeader('Content-Type', contentTypeOf(format));
  response.setHeader('X-ClickHouse-Format', format);
  response.setHeader('X-ClickHouse-Exception-Tag', tag);
  if (whole) {
    const { rows } = await result.done;
    const elapsed = Math.round((performance.now() - started) * 1e6);
    const summary = { result_rows: String(rows), elapsed_ns: String(elapsed) };
    response.setHeader('X-ClickHouse-Summary', JSON.stringify(summary));
    const bytes = first.reduce((sum, chunk) => sum + chunk.length, 0);
    if (!request.gzip) response.setHeader('Content-Length', bytes);
  }

  const sink = request.gzip ? gzipped(response) : response;
  try {
    for (const chunk of first) await write(sink, chunk, result.stopped);
    for await (const chunk of body) await write(sink, await sent(chunk), result.stopped);
    sink.end();
  } catch (thrown) {
    // An interrupted wait does not tell the reason.
    const error: unknown = result.stopped.aborted ? result.stopped.reason : thrown;
    await breakOff(response, sink, sent, tag, EngineException.from(error).text(version));
    throw error;
  }
}

/** Ends only when the query has succeeded; a query that was stopped closes its output early. */
async function* bytesOf({ output, done }: EngineResult): AsyncGenerator<Buffer, void> {
  try {
    for await (const chunk of output as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    await done;
    throw error;
  }
  await done;
}

/** Whether the body ended within so many bytes. */
async function hold(
  body: AsyncGenerator<Buffer, void>,
  held: Buffer[],
  limit: number,
): Promise<boolean> {
  for (let bytes = 0; bytes < limit;) {
    const next = await body.next();
    if (next.done === true) return true;
    held.push(next.value);
    bytes += next.value.length;
  }
  return false;
}

function asIs(bytes: Buffer): Promise<Buffer> {
  return Promise.resolve(bytes);
}

function gzipped(response: ServerResponse): Writable {
  response.setHeader('Content-Encoding', 'gzip');
  const gzip = createGzip({ level: 1 });
  gzip.pipe(response);
  return gzip;
}

async function write(sink: Writable, chunk: Buffer, stopped: AbortSignal): Promise<void> {
  stopped.throwIfAborted();
  if (!sink.write(chunk)) await once(sink, 'drain', { signal: stopped });
}

async function breakOff(
  response: ServerResponse,
  sink: Writable,
  sent: (bytes: Buffer) => Promise<Buffer>,
  tag: string,
  text: string,
): Promise<void> {
  const { socket } = response;
  if (socket === null) {
    // Not its turn yet on the connection. Nobody would see that the result is cut off.
    if (sink !== response) sink.destroy();
    response.once('socket', (connection: Socket) => connection.destroy());
    return;
  }
  if (response.req.httpVersion === '1.0') {
    // The end of the connection ends a body there: only a reset tells that it is cut off.
    socket.resetAndDestroy();
    return;
  }
  if (sink !== response || response.hasHeader('Content-Length')) {
    // Nobody would find it inside a compressed body, or it would pass for the rest of the body.
    sink.destroy();
    response.destroy();
    return;
  }
  const message = Buffer.from(text).subarray(0, EXCEPTION_BYTES);
  const marker = '\r\n__exception__\r\n';
  const tail = `\n${message.length + 1} ${tag}${marker}`;
  const block = Buffer.concat([Buffer.from(`${marker}${tag}\r\n`), message, Buffer.from(tail)]);
  try {
    // Ends the connection without the chunk that completes the body. Only in the callback: in
    // Node.js 24.22.3 an end in the same turn loses what is written.
    response.write(await sent(block), () => {
      socket.destroySoon();
    });
  } catch {
    socket.destroy();
  }
  setTimeout(() => socket.destroy(), LAST_WORDS_MS).unref();
}
