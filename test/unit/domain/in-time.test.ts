import { expect, jest, test } from '@jest/globals';

import { inTime } from '../../../src/domain/in-time.js';

const late = (): string => 'late';

test('what ends in time is passed on, and no timer is left', async () => {
  jest.useFakeTimers();
  await expect(inTime(Promise.resolve('done'), 1_000, late)).resolves.toBe('done');
  await expect(inTime(Promise.reject(new Error('broken')), 1_000, late)).rejects.toThrow('broken');
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

test('what takes longer is not waited for', async () => {
  const never = new Promise<string>(() => undefined);
  await expect(inTime(never, 10, late)).resolves.toBe('late');
  const thrown = inTime(never, 10, () => {
    throw new Error('too late');
  });
  await expect(thrown).rejects.toThrow('too late');
});

test("what fails after the time is nobody's concern", async () => {
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<string>((_, reject) => (fail = reject));
  await expect(inTime(work, 10, late)).resolves.toBe('late');
  fail(new Error('unseen'));
  await new Promise((resolve) => setImmediate(resolve));
});
