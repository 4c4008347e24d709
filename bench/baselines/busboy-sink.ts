/**
 * Takes uploads as fast as Node and busboy can. It throws them away, or writes each to a file that
 * is synced before the answer.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import busboy from 'busboy';

import { obey } from '../process/commands.js';
import { answerWith } from './http-answer.js';
import { listen } from './listen.js';

const ANSWER = JSON.stringify({ requestId: '01a1fbe9-8d12-7e37-8444-47b183ed8e35' });
/** So that the disk does not fill up. */
const MOST_FILES = 64;

let bytes = 0;
let files = 0;
let folder: string | undefined;

const server = createServer((request, response) => {
  take(request).then(
    () => {
      answerWith(response, 201, ANSWER);
    },
    (error: unknown) => response.destroy(error as Error),
  );
});

async function take(request: IncomingMessage): Promise<void> {
  const form = busboy({ headers: request.headers });
  const stored: Promise<void>[] = [];
  form.on('file', (_name, file) => {
    file.on('data', (piece: Buffer) => (bytes += piece.length));
    if (folder !== undefined) stored.push(store(file, folder));
  });
  request.pipe(form);
  await once(form, 'close');
  await Promise.all(stored);
}

async function store(file: Readable, to: string): Promise<void> {
  const path = join(to, `${files++ % MOST_FILES}`);
  // Writes and syncs outside the main thread; `flush` syncs before it closes.
  await pipeline(file, createWriteStream(path, { flush: true }));
}

const commands = {
  /**
   * @param folder where files go; undefined: nowhere
   * @returns the port
   */
  start(options: { readonly folder?: string }): Promise<number> {
    ({ folder } = options);
    return listen(server);
  },
  /** Bytes of all files so far. */
  bytes: (): number => bytes,
};

export type BusboySinkCommands = typeof commands;

obey(commands);
