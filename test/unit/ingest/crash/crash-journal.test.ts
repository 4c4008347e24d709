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
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { pino } from 'pino';

import { CrashJournal } from '../../../../src/ingest/crash/crash-journal.js';
import { SoloGate } from '../../../../src/ingest/crash/solo-gate.js';
import { nodeFiles } from '../../../../src/ingest/files/node-files.js';
import type { LineFile, WorkingFiles } from '../../../../src/ingest/files/working-files.js';
import { MemoryFiles } from '../../../support/disk/memory-files.js';
import { until } from '../../../support/until.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, 'journal');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Opens the journal as a new process does after the last one died. */
const nextProcess = (files: WorkingFiles = nodeFiles): CrashJournal =>
  new CrashJournal(files, path, pino({ level: 'silent' }));

test('closed, it writes to no file, whatever is told of uploads that were still inside', async () => {
  const journal = nextProcess();
  await journal.begin('a', false);
  journal.close();
  const other = openSync(join(folder, 'other'), 'a');
  journal.end('a');
  await journal.begin('b', false);
  closeSync(other);
  expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('');
  expect(existsSync(path)).toBe(false);
});

test('uploads that were in process together are each suspected once, however often', async () => {
  for (let process = 0; process < 3; process++) {
    const journal = nextProcess();
    await journal.begin('a', false);
    await journal.begin('b', false);
    journal.end('b');
  }
  const journal = nextProcess();
  expect(journal.deathsOf('a')).toBe(1);
  expect(journal.deathsOf('b')).toBe(0);
});

test('an upload that was processed alone is counted each time', async () => {
  await nextProcess().begin('a', false);
  await nextProcess().begin('a', true);
  expect(nextProcess().deathsOf('a')).toBe(2);
  await nextProcess().begin('a', true);
  expect(nextProcess().deathsOf('a')).toBe(3);
  expect(nextProcess().deathsOf('a')).toBe(3);
});

test('an upload that ends well is no longer suspected', async () => {
  await nextProcess().begin('a', false);
  const second = nextProcess();
  await second.begin('a', true);
  second.end('a');
  expect(nextProcess().deathsOf('a')).toBe(0);
});

test('a clean stop suspects nobody, and half a line is none', async () => {
  const journal = nextProcess();
  await journal.begin('a', false);
  journal.close();
  expect(existsSync(path)).toBe(false);
  await nextProcess().begin('b', false);
  appendFileSync(path, '-b');
  expect(nextProcess().deathsOf('b')).toBe(1);
});

test('after a stop by an exception what is unfinished is suspected, as after a death', async () => {
  const journal = nextProcess();
  await journal.begin('a', false);
  await journal.begin('b', false);
  journal.end('b');
  journal.close(true);
  const second = nextProcess();
  expect([second.deathsOf('a'), second.deathsOf('b')]).toEqual([1, 0]);
  await second.begin('a', true);
  second.close(true);
  expect(nextProcess().deathsOf('a')).toBe(2);
});

test('the file stays small, and what is in process outlives its rewriting', async () => {
  const journal = nextProcess();
  await journal.begin('stays', false);
  for (let i = 0; i < 13_000; i++) {
    await journal.begin(`u${i}`, false);
    journal.end(`u${i}`);
  }
  expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(25_000);
  expect(nextProcess().deathsOf('stays')).toBe(1);
});

interface Upload {
  readonly requestId: string;
}

/** Lets an upload in, and returns it. Adds it to `entered` when it may be processed. */
function enter(gate: SoloGate, entered: string[], requestId: string): Upload {
  const upload = { requestId };
  void gate.enter(upload).then((deaths) => {
    if (deaths !== undefined) throw new Error(`refused after ${deaths} deaths`);
    entered.push(requestId);
  });
  return upload;
}

test('what is put off keeps its deaths, and is blamed for those during its attempts alone', async () => {
  await nextProcess().begin('a', false);
  const second = nextProcess();
  await second.begin('a', true);
  second.putOff('a');
  expect(nextProcess().deathsOf('a')).toBe(1);
  await second.begin('a', true);
  const third = nextProcess();
  expect(third.deathsOf('a')).toBe(2);
  await third.begin('a', true);
  third.putOff('a');
  third.end('a');
  expect(nextProcess().deathsOf('a')).toBe(0);
});

test('an upload that has ended three processes is refused', async () => {
  await nextProcess().begin('a', false);
  await nextProcess().begin('a', true);
  await nextProcess().begin('a', true);
  expect(await new SoloGate(nextProcess()).enter({ requestId: 'a' })).toBe(3);
});

describe('on a full disk', () => {
  const files = (roomBytes: number): MemoryFiles => Object.assign(new MemoryFiles(), { roomBytes });

  test('no upload is processed before the journal has it; then it goes on by itself', async () => {
    const disk = files(5);
    const entered: string[] = [];
    const gate = new SoloGate(nextProcess(disk));
    enter(gate, entered, 'an-upload');
    await sleep(100);
    expect(entered).toEqual([]);
    disk.roomBytes = 1_000;
    await until(() => entered.length !== 0, 1);
    expect(nextProcess(disk).deathsOf('an-upload')).toBe(1);
    gate.close();
  });

  test('an end waits for nothing, and is written with what comes next', async () => {
    const disk = files(1_000);
    const journal = nextProcess(disk);
    await journal.begin('a', false);
    disk.roomBytes = disk.bytes;
    journal.end('a');
    expect(nextProcess(disk).deathsOf('a')).toBe(1);
    disk.roomBytes = 1_000;
    await journal.begin('b', false);
    expect(nextProcess(disk).deathsOf('a')).toBe(0);
    expect(nextProcess(disk).deathsOf('b')).toBe(1);
  });

  test('half a line is written over, and what was counted stays', async () => {
    const disk = files(1_000);
    await nextProcess(disk).begin('suspect', false);
    const journal = nextProcess(disk);
    await journal.begin('first', false);
    disk.roomBytes = disk.bytes + 3;
    const begun = journal.begin('second', false);
    expect(disk.bytes).toBe(disk.roomBytes);
    expect(nextProcess(disk).deathsOf('suspect')).toBe(1);
    disk.roomBytes = 1_000;
    await begun;
    const next = nextProcess(disk);
    expect(['suspect', 'first', 'second'].map((id) => next.deathsOf(id))).toEqual([1, 1, 1]);
  });

  test('once closed nothing waits, and nothing more is processed', async () => {
    const disk = files(5);
    const entered: string[] = [];
    const journal = nextProcess(disk);
    const gate = new SoloGate(journal);
    enter(gate, entered, 'an-upload');
    gate.close();
    journal.close();
    disk.roomBytes = 1_000;
    await sleep(100);
    expect(entered).toEqual([]);
    expect(disk.paths.filter((each) => !each.endsWith('.new'))).toEqual([]);
  });
});

test('a file system that has become read-only is told of', async () => {
  const disk = new MemoryFiles();
  disk.fault = 'EROFS';
  await expect(new SoloGate(nextProcess(disk)).enter({ requestId: 'a' })).rejects.toMatchObject({
    code: 'EROFS',
  });
});

test('whatever a loss of power leaves of it can be read', async () => {
  for (let kept = 0; kept <= 1; kept += 0.1) {
    const disk = new MemoryFiles();
    const journal = nextProcess(disk);
    for (const id of ['a', 'b', 'c']) await journal.begin(id, false);
    disk.losePower(() => Math.min(kept, 0.999));
    const next = nextProcess(disk);
    await next.begin('d', false);
    expect(nextProcess(disk).deathsOf('d')).toBe(1);
  }
});

test('with any number of uploads in process the file is seldom written anew', async () => {
  let replaced = 0;
  const file: LineFile = {
    read: () => '',
    replace: () => {
      replaced++;
    },
    append: () => undefined,
    close: () => undefined,
    remove: () => undefined,
  };
  const counting = Object.assign(new MemoryFiles(), { lines: () => file });
  const journal = nextProcess(counting);
  for (let upload = 0; upload < 45_000; upload++) await journal.begin(String(upload), false);
  expect(replaced).toBe(3);
});
