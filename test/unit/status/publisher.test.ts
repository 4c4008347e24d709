import { expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';

import { transitionOf, TransitionPublisher } from '../../../src/status/publisher.js';
import { uploaded } from '../../../src/status/transition.js';
import type { RecordToAppend } from '../../../src/log/upload-log.js';
import { MemoryLog } from '../../support/gateway/memory-log.js';

/** A broker takes this much in one batch, less its frame. */
const BROKER_BYTES = 2 * 1024 * 1024 - 64 * 1024;

test('the transitions of a large batch of small files fit into what a broker takes', async () => {
  const log = new MemoryLog();
  const sizes: number[] = [];
  let hasFailed = false;
  log.fails = (_, records: readonly RecordToAppend[]) => {
    sizes.push(records.reduce((sum, { value }) => sum + value.length, 0));
    // One of the appends is refused once.
    const fails = sizes.length === 3 && !hasFailed;
    hasFailed ||= fails;
    return fails;
  };
  const { signal } = new AbortController();
  const publisher = new TransitionPublisher(log, { covers: () => false }, signal, () => undefined);
  const uploads = Array.from({ length: 12_345 }, (_, at) => {
    const version = String(at + 1);
    const ids = { requestId: uuidv7(), account: 'acme', family: 'cost' } as const;
    const transition = uploaded({ ...ids, version, sentMax: version, bytes: 100 }, Date.now());
    const rows = { validated: 10, stored: 10, readBack: 10 };
    return { account: 'acme', version: BigInt(version), transition, rows };
  });
  await publisher.publish(uploads, 'succeeded');
  expect(Math.max(...sizes)).toBeLessThan(BROKER_BYTES);
  const published = log.records('status').map(({ value }) => transitionOf(value));
  expect(new Set(published.map(({ requestId }) => requestId)).size).toBe(uploads.length);
  expect(published.every(({ status }) => status === 'succeeded')).toBe(true);
});
