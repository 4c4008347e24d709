import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import { expect, test } from '@jest/globals';

import { StateWaiters } from '../../../../src/gateway/read/state-waiters.js';
import { uploaded } from '../../../../src/status/transition.js';
import { MemoryLookup } from '../../../support/gateway/gateway.js';

test('one read more than 10,000 is not waited for, until another one ends', async () => {
  const waiters = new StateWaiters(new MemoryLookup());
  const ids = { requestId: 'one', account: 'acme', family: 'cost' } as const;
  const found = uploaded({ ...ids, version: '1', sentMax: '1', bytes: 1 }, 0);
  const response = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));
  const next = (to = response()): Promise<unknown> => waiters.next(found, 30_000, to);

  const first = response();
  const waiting = [next(first)];
  for (let i = 1; i < 10_000; i++) waiting.push(next());
  expect(await next()).toBeUndefined();

  first.emit('close');
  await expect(waiting.shift()).rejects.toThrow();
  waiting.push(next());
  waiters.onModuleDestroy();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([undefined]));
});
