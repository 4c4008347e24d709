import type { ServerResponse } from 'node:http';

/** Answers in one piece, with a length. */
export function answerWith(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}
