import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { afterEach, describe, expect, it } from '@jest/globals';
import { acquireDataFolder } from '../../../../src/log/lmdb/data-folder-lock.js';
import { LogUnavailableError, type RecordPosition } from '../../../../src/log/upload-log.js';
import { Collector, LogFolders, readAll, record, texts } from '../../../support/log/log-folders.js';
import { Program } from '../../../support/log/program.js';
import { countFault } from '../../../support/service/soak.js';
import { until } from '../../../support/until.js';

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

describe('a second process', () => {
  it('appends while the service does, and no offset is given twice', async () => {
    const dir = await folders.folder();
    const log = await folders.open({ dir });
    const collector = new Collector();
    await log.consume('control', 'ingest', collector);
    const other = Program.start('append-control', [dir, '50']);
    const mine: number[] = [];
    while (other.lines.length < 50) {
      const [position] = await log.append('control', [record('mine')]);
      mine.push(position!.offset);
      await log.append('uploads', [record(Buffer.alloc(100_000))]);
    }
    await other.ended();
    const all = [...mine, ...other.lines.map(Number)].sort((a, b) => a - b);
    expect(all).toEqual(Array.from(all, (_, i) => i));
    expect(await log.endOffsets('control')).toEqual([all.length]);
    await until(() => collector.seen.length === all.length);
    expect(collector.seen.map(({ offset }) => offset)).toEqual(all);
  });

  it('comes between appends that do not wait for each other; both keep their order', async () => {
    const dir = await folders.folder();
    const log = await folders.open({ dir });
    const other = Program.start('append-streaming', [dir, '5000']);
    const appends: Promise<readonly RecordPosition[]>[] = [];
    while (other.lines.length < 5_000) {
      appends.push(log.append('uploads', [record(`mine ${appends.length}`)]));
      await setImmediate();
    }
    const mine = (await Promise.all(appends)).map(([position]) => position!.offset);
    await other.ended();
    const theirs = other.lines.map(Number);
    expect(theirs).toHaveLength(5_000);
    const stored = texts(await readAll(log, 'uploads'));
    expect(mine.map((offset) => stored[offset])).toEqual(mine.map((_, i) => `mine ${i}`));
    expect(theirs.map((offset) => stored[offset])).toEqual(theirs.map((_, i) => `other ${i}`));
    expect(stored).toHaveLength(mine.length + theirs.length);
  });

  it('does not hold up one that never pauses', async () => {
    const dir = await folders.folder();
    const log = await folders.open({ dir });
    let submitted = 0;
    let acknowledged = 0;
    const append = async (): Promise<void> => {
      submitted++;
      void log.append('uploads', [record('mine')]).then(() => acknowledged++);
      await setImmediate();
    };
    const other = Program.start('append-control', [dir, '5']);
    while (other.lines.length < 5) await append();
    const before = submitted;
    const until = performance.now() + 5_000;
    while (acknowledged <= before && performance.now() < until) await append();
    expect(acknowledged).toBeGreaterThan(before);
    await other.ended();
  });

  it('gets its turn beside one that writes without a pause', async () => {
    const dir = await folders.folder();
    const log = await folders.open({ dir });
    const other = Program.start('append-streaming', [dir, '100000']);
    await until(async () => (await log.endOffsets('uploads'))[0]! >= 100, 5);
    for (let i = 0; i < 20; i++) await log.append('control', [record('mine')]);
    expect((await log.endOffsets('uploads'))[0]).toBeLessThan(100_000);
    await other.kill();
  });

  it('is seen by consumers and tails although nothing happens in this process', async () => {
    const dir = await folders.folder();
    const log = await folders.open({ dir });
    const collector = new Collector();
    await log.consume('control', 'ingest', collector);
    const tail = await log.tail('control', [0], () => undefined);
    await Program.start('append-control', [dir, '1']).ended();
    await tail.reached([1], 20_000);
    await until(() => collector.seen.length === 1);
    expect(collector.seen[0]!.value.toString()).toBe('other 0');
  });
});

describe('kill -9', () => {
  it('loses no acknowledged record, leaves no gap and no half append', async () => {
    const dir = await folders.folder();
    const acknowledged = new Map<number, string>();
    for (const milliseconds of [40, 150, 15, 90, 1, 200]) {
      const program = Program.start('append-forever', [dir, '70000']);
      await program.printed(30);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      await program.kill();
      countFault('log killed while it appends');
      const before = acknowledged.size;
      for (const line of program.lines) {
        // The kill may have cut off the last line.
        const [, offset, append] = /^(\d+) (\d+ \d+ \d+)$/.exec(line) ?? [];
        if (append !== undefined) acknowledged.set(Number(offset), append);
      }
      expect(acknowledged.size).toBeGreaterThan(before);

      const log = await folders.open({ dir });
      const records = await readAll(log, 'uploads');
      await log.close();
      expect(records.map(({ offset }) => offset)).toEqual(Array.from(records, (_, i) => i));
      expect(records.length % 3).toBe(0);
      for (const { offset, headers, value } of records) {
        const append = headers['append']!;
        expect(value.equals(Buffer.alloc(70_000, `${append} ${offset % 3};`))).toBe(true);
        expect(acknowledged.get(offset) ?? append).toBe(append);
      }
      expect(Math.max(...acknowledged.keys())).toBeLessThan(records.length);
    }
  });
});

describe('a full disk', () => {
  it('refuses appends, keeps the process and what was acknowledged, and gives no offset away', async () => {
    const dir = await folders.folder();
    const program = Program.start('append-forever', [dir, '70000'], 25_000);
    await program.ended();
    expect(program.lines.slice(-2)).toEqual(['refused', 'closed']);
    countFault('log that may not grow');
    const acknowledged = program.lines.slice(0, -2).map((line) => Number(line.split(' ')[0]));
    expect(acknowledged.length).toBeGreaterThan(30);

    const log = await folders.open({ dir });
    const end = acknowledged.length;
    expect(acknowledged.sort((a, b) => a - b)).toEqual(Array.from({ length: end }, (_, i) => i));
    expect(await readAll(log, 'uploads')).toHaveLength(end);
    expect(await log.append('uploads', [record('x')])).toEqual([{ partition: 0, offset: end }]);
  });
});

describe('a disk that does not answer', () => {
  it('rejects what waits, and takes records again once it answers', async () => {
    const dir = await folders.folder();
    const log = await folders.open({ dir, timeoutMs: 1_000 });
    await log.append('uploads', [record('before')]);
    const released = join(dir, 'released');
    const holder = Program.start('hold-transaction', [dir, '20000', released]);
    await holder.printed(1);
    const appends = ['a', 'b', 'c'].map((text) => log.append('uploads', [record(text)]));
    const settled = await Promise.allSettled(appends);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    countFault('disk that does not answer');
    await expect(log.append('uploads', [record('d')])).rejects.toThrow(LogUnavailableError);
    writeFileSync(released, '');
    await holder.ended();
    await until(() => holder.lines.length === 2);
    for (;;) {
      const taken = await log.append('uploads', [record('after')]).catch(() => undefined);
      if (taken !== undefined) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const offsets = (await readAll(log, 'uploads')).map(({ offset }) => offset);
    expect(offsets).toEqual(Array.from(offsets, (_, i) => i));
  });
});

describe('the lock of the data folder', () => {
  it('refuses a second service with one line that names the folder and the holder', async () => {
    const dir = await folders.folder();
    const holder = Program.start('hold-folder', [dir]);
    await holder.printed(1);
    const refusal = `DATA_DIR ${dir} is in use by another service (process ${holder.pid})`;
    await expect(acquireDataFolder(dir)).rejects.toThrow(refusal);
    const third = Program.start('hold-folder', [dir]);
    await third.ended();
    expect(third.lines).toEqual([refusal]);
    await holder.kill();
    await (
      await acquireDataFolder(dir)
    )();
  });

  it('is free after every kill -9, with nothing to clean up', async () => {
    const dir = await folders.folder();
    for (let i = 0; i < 3; i++) {
      const holder = Program.start('hold-folder', [dir]);
      await holder.printed(1);
      expect(holder.lines).toEqual(['held']);
      await holder.kill();
    }
    const release = await acquireDataFolder(dir);
    await release();
  });

  it('is held by one of several services that start together', async () => {
    const dir = await folders.folder();
    const programs = [1, 2, 3].map(() => Program.start('hold-folder', [dir]));
    for (const program of programs) await program.printed(1);
    expect(programs.filter(({ lines }) => lines[0] === 'held')).toHaveLength(1);
    for (const program of programs) await program.kill();
  });

  it('is refused twice in one process, and given again after its release', async () => {
    const dir = await folders.folder();
    const release = await acquireDataFolder(dir);
    await expect(acquireDataFolder(dir)).rejects.toThrow(/DATA_DIR .* \(this process\)/);
    await release();
    await (
      await acquireDataFolder(dir)
    )();
  });
});
