/** Takes uploads as fast as Node and busboy can, and throws them away. */
import { createServer } from 'node:http';
import busboy from 'busboy';

import { obey } from '../process/commands.js';
import { answerWith } from './http-answer.js';
import { listen } from './listen.js';

const ANSWER = JSON.stringify({ requestId: '01a1fbe9-8d12-7e37-8444-47b183ed8e35' });
let bytes = 0;

const server = createServer((request, response) => {
  const form = busboy({ headers: request.headers });
  form.on('file', (_name, file) => {
    file.on('data', (piece: Buffer) => (bytes += piece.length));
  });
  form.on('close', () => {
    answerWith(response, 201, ANSWER);
  });
  request.pipe(form);
});

const commands = {
  /** @returns the port */
  start: (): Promise<number> => listen(server),
  /** Bytes of all files so far. */
  bytes: (): number => bytes,
};

export type BusboySinkCommands = typeof commands;

obey(commands);
