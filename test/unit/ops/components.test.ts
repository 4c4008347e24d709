import { expect, test } from '@jest/globals';
import { pino } from 'pino';

import { Components } from '../../../src/ops/components.js';

const components = (): Components => new Components(pino({ level: 'silent' }));
const never = new Promise<never>(() => undefined);

test('what was started last stops first, and one that fails to stop holds up nobody', async () => {
  const stopped: string[] = [];
  const running = components();
  running.add({ stop: () => void stopped.push('first') });
  running.add({ stop: () => Promise.reject(new Error('broken')) });
  running.add({ failed: never, stop: () => Promise.resolve(void stopped.push('last')) });
  await running.stop(performance.now() + 5_000);
  expect(stopped).toEqual(['last', 'first']);
});

test('after the deadline every component is told to stop, and none is waited for', async () => {
  const told: string[] = [];
  const running = components();
  for (const name of ['a', 'b', 'c']) {
    running.add({
      stop: () => {
        told.push(name);
        return never;
      },
    });
  }
  const from = performance.now();
  await running.stop(from + 50);
  expect(told).toEqual(['c', 'b', 'a']);
  expect(performance.now() - from).toBeGreaterThanOrEqual(49);
}, 5_000);

test('the failure of any component is the failure of all', async () => {
  const running = components();
  running.add({ failed: never, stop: () => undefined });
  running.add({ stop: () => undefined });
  running.add({ failed: Promise.reject(new Error('cannot go on')), stop: () => undefined });
  await expect(running.failed).rejects.toThrow('cannot go on');
});
