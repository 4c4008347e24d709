import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';

import { CrashJournal } from '../../../../src/ingest/crash/crash-journal.js';
import { SoloGate } from '../../../../src/ingest/crash/solo-gate.js';
import { MemoryFiles } from '../../../support/disk/memory-files.js';

let gate: SoloGate;
/** Uploads that have entered, in order. */
let entered: string[];
beforeEach(() => {
  jest.useFakeTimers();
  entered = [];
});
afterEach(() => {
  gate.close();
  jest.useRealTimers();
});

/** Opens the gate of a process that begins after another one has ended beside the suspects. */
function suspecting(...suspects: readonly string[]): void {
  const files = new MemoryFiles();
  files.lines('/journal').replace(suspects.map((requestId) => `+${requestId}\n`).join(''));
  gate = new SoloGate(new CrashJournal(files, '/journal', pino({ level: 'silent' })));
}

function arrive(requestId: string): { readonly requestId: string } {
  const upload = { requestId };
  void gate.enter(upload).then((deaths) => {
    if (deaths !== undefined) throw new Error(`refused after ${deaths} deaths`);
    entered.push(requestId);
  });
  return upload;
}

/** Leaves, and resolves when others have entered. */
async function leave(upload: { readonly requestId: string }): Promise<void> {
  gate.leave(upload);
  await jest.advanceTimersByTimeAsync(0);
}

test('a suspect waits for a quiet time and is processed with nothing beside it', async () => {
  suspecting('suspect');
  const suspect = arrive('suspect');
  const a = arrive('a');
  const b = arrive('b');
  await jest.advanceTimersByTimeAsync(0);
  expect(entered).toEqual(['a', 'b']);
  await jest.advanceTimersByTimeAsync(60_000);
  arrive('c');
  expect(entered).toEqual(['a', 'b']);
  gate.leave(a);
  // What has been put off leaves again at its end.
  gate.leave(a);
  expect(entered).toEqual(['a', 'b']);
  await leave(b);
  expect(entered).toEqual(['a', 'b', 'suspect']);
  await leave(suspect);
  expect(entered).toEqual(['a', 'b', 'suspect', 'c']);
});

test('suspects take turns with the others', async () => {
  const suspects = ['s1', 's2', 's3'];
  suspecting(...suspects);
  const [s1, s2] = suspects.map(arrive);
  const a = arrive('a');
  await jest.advanceTimersByTimeAsync(10_000);
  // A suspect does not enter beside others, and nobody enters while it waits for them.
  const b = arrive('b');
  const c = arrive('c');
  await jest.advanceTimersByTimeAsync(0);
  expect(entered).toEqual(['a']);
  await leave(a);
  expect(entered).toEqual(['a', 's1']);
  await leave(s1!);
  expect(entered).toEqual(['a', 's1', 'b', 'c']);
  const d = arrive('d');
  await leave(b);
  expect(entered).toEqual(['a', 's1', 'b', 'c']);
  await leave(c);
  expect(entered).toEqual(['a', 's1', 'b', 'c', 's2']);
  await leave(s2!);
  await leave(d);
  expect(entered).toEqual(['a', 's1', 'b', 'c', 's2', 'd', 's3']);
});
