import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { CrashJournal } from '../../../../src/ingest/crash/crash-journal.js';
import { SoloGate } from '../../../../src/ingest/crash/solo-gate.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, 'journal');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A journal as a process finds it that starts after the last one died. */
const nextProcess = (): CrashJournal => new CrashJournal(path);

test('closed, it writes to no file, whatever is told of uploads that were still inside', () => {
  const journal = nextProcess();
  journal.begin('a', false);
  journal.close();
  const other = openSync(join(folder, 'other'), 'a');
  journal.end('a');
  journal.begin('b', false);
  closeSync(other);
  expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('');
  expect(existsSync(path)).toBe(false);
});

test('uploads that were in process together are each suspected once, however often', () => {
  for (let process = 0; process < 3; process++) {
    const journal = nextProcess();
    journal.begin('a', false);
    journal.begin('b', false);
    journal.end('b');
  }
  const journal = nextProcess();
  expect(journal.deathsOf('a')).toBe(1);
  expect(journal.deathsOf('b')).toBe(0);
});

test('an upload that was processed alone is counted each time', () => {
  nextProcess().begin('a', false);
  nextProcess().begin('a', true);
  expect(nextProcess().deathsOf('a')).toBe(2);
  nextProcess().begin('a', true);
  expect(nextProcess().deathsOf('a')).toBe(3);
  expect(nextProcess().deathsOf('a')).toBe(3);
});

test('an upload that ends well is no longer suspected', () => {
  nextProcess().begin('a', false);
  const second = nextProcess();
  second.begin('a', true);
  second.end('a');
  expect(nextProcess().deathsOf('a')).toBe(0);
});

test('a clean stop suspects nobody, and half a line is none', () => {
  const journal = nextProcess();
  journal.begin('a', false);
  journal.close();
  expect(existsSync(path)).toBe(false);
  nextProcess().begin('b', false);
  appendFileSync(path, '-b');
  expect(nextProcess().deathsOf('b')).toBe(1);
});

test('after a stop by an exception what is unfinished is suspected, as after a death', () => {
  const journal = nextProcess();
  journal.begin('a', false);
  journal.begin('b', false);
  journal.end('b');
  journal.close(true);
  const second = nextProcess();
  expect([second.deathsOf('a'), second.deathsOf('b')]).toEqual([1, 0]);
  second.begin('a', true);
  second.close(true);
  expect(nextProcess().deathsOf('a')).toBe(2);
});

test('the file stays small, and what is in process outlives its rewriting', () => {
  const journal = nextProcess();
  journal.begin('stays', false);
  for (let i = 0; i < 30_000; i++) {
    journal.begin(`u${i}`, false);
    journal.end(`u${i}`);
  }
  expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(25_000);
  expect(nextProcess().deathsOf('stays')).toBe(1);
});

test('a suspect waits for a quiet time and is processed with nothing beside it', () => {
  jest.useFakeTimers();
  try {
    nextProcess().begin('suspect', false);
    const entered: string[] = [];
    const refused: string[] = [];
    const gate = new SoloGate(
      nextProcess(),
      ({ requestId }) => entered.push(requestId),
      ({ requestId }) => refused.push(requestId),
    );
    gate.add({ requestId: 'suspect' });
    gate.add({ requestId: 'a' });
    gate.add({ requestId: 'b' });
    expect(entered).toEqual(['a', 'b']);
    jest.advanceTimersByTime(60_000);
    gate.add({ requestId: 'c' });
    expect(entered).toEqual(['a', 'b']);
    gate.left({ requestId: 'a' });
    gate.left({ requestId: 'b' });
    expect(entered).toEqual(['a', 'b', 'suspect']);
    gate.left({ requestId: 'suspect' });
    expect(entered).toEqual(['a', 'b', 'suspect', 'c']);
    expect(refused).toEqual([]);
    gate.close();
  } finally {
    jest.useRealTimers();
  }
});

test('an upload that has ended three processes is refused', () => {
  nextProcess().begin('a', false);
  nextProcess().begin('a', true);
  nextProcess().begin('a', true);
  const refused: [string, number][] = [];
  const gate = new SoloGate(
    nextProcess(),
    () => {
      throw new Error('must not be processed');
    },
    ({ requestId }, deaths) => refused.push([requestId, deaths]),
  );
  gate.add({ requestId: 'a' });
  expect(refused).toEqual([['a', 3]]);
});
