import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { withBackoff } from '../../../../src/clients/api/backoff.js';
import { NetworkError } from '../../../../src/clients/api/errors.js';

const FOR_MS = 800;

test('an attempt that fails only after a long time is repeated', async () => {
  let attempts = 0;
  const attempt = async (): Promise<string> => {
    if (++attempts > 1) return 'done';
    await sleep(FOR_MS);
    throw new NetworkError('service', 'ECONNRESET');
  };
  expect(await withBackoff(attempt, FOR_MS, undefined)).toBe('done');
});

test('attempts that all fail end when the time is over', async () => {
  const startedAt = performance.now();
  const attempt = () => Promise.reject(new NetworkError('service', 'ECONNREFUSED'));
  await expect(withBackoff(attempt, FOR_MS, undefined)).rejects.toThrow('ECONNREFUSED');
  expect(performance.now() - startedAt).toBeLessThan(FOR_MS + 500);
});
