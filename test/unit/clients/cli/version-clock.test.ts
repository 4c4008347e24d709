import { afterEach, expect, test } from '@jest/globals';

import { clockAbove } from '../../../../src/clients/cli/version-clock.js';
import {
  type LogRecord,
  LogUnavailableError,
  type UploadLog,
} from '../../../../src/log/upload-log.js';
import { lastVersionAt, timeOfVersion } from '../../../../src/domain/version.js';
import { TailWaiters } from '../../../../src/log/tail-waiters.js';
import { transitionRecord } from '../../../../src/status/publisher.js';
import { uploaded } from '../../../../src/status/transition.js';

const RECORDS = 8;
const TIMEOUT_MS = 60;
/** The clock of the gateway that gave the versions, milliseconds since the epoch. */
const AHEAD = Date.now() + 3_600_000;

let timer: NodeJS.Timeout | undefined;
afterEach(() => {
  clearInterval(timer);
});

/** A log whose tail hands over a record at a time, and stands still after `last` of them. */
function slowLog(last: number): UploadLog {
  return {
    partitions: () => 1,
    committedOffsets: () => Promise.resolve([0]),
    endOffsets: () => Promise.resolve([RECORDS]),
    tail: (_topic: string, _from: number[], take: (records: LogRecord[]) => void) => {
      let next = 0;
      const waiters = new TailWaiters(([end]) => next >= end!);
      timer = setInterval(() => {
        if (next === last) return;
        take([{ ...transition(next), partition: 0, offset: next } as unknown as LogRecord]);
        next++;
        waiters.advanced();
      }, TIMEOUT_MS / 2);
      return Promise.resolve({
        failed: new Promise<never>(() => undefined),
        reached: waiters.reached.bind(waiters),
        stop: () => Promise.resolve(),
      });
    },
  } as unknown as UploadLog;
}

function transition(i: number) {
  const version = String(lastVersionAt(AHEAD + i));
  const requestId = `01a1fbe9-8d12-7e37-8444-${String(i).padStart(12, '0')}`;
  const request = {
    requestId,
    account: 'acme',
    family: 'cost',
    version,
    sentMax: version,
    bytes: 7,
  };
  return transitionRecord(uploaded({ ...request, family: 'cost' }, 0));
}

test('waits for a history that is far behind as long as records come', async () => {
  const clock = await clockAbove(slowLog(RECORDS), TIMEOUT_MS);
  expect(timeOfVersion(clock.next())).toBeGreaterThanOrEqual(AHEAD + RECORDS - 1);
});

test('gives up when none come any more', async () => {
  await expect(clockAbove(slowLog(RECORDS - 1), TIMEOUT_MS)).rejects.toThrow(LogUnavailableError);
});
