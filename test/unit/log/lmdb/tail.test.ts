import { afterEach, describe, expect, it } from '@jest/globals';
import { LogUnavailableError, type LogRecord } from '../../../../src/log/upload-log.js';
import { LogFolders, record, texts } from '../../../support/log/log-folders.js';

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

describe('tail', () => {
  it('hands over every record from the given offsets on', async () => {
    const log = await folders.open({ partitions: { status: 2 } });
    for (const partition of [0, 1]) {
      await log.append(
        'status',
        ['a', 'b'].map((x) => record(`${partition}${x}`, { partition })),
      );
    }
    const seen: LogRecord[] = [];
    const tail = await log.tail('status', [1, 0], (records) => seen.push(...records));
    await tail.reached(await log.endOffsets('status'), 20_000);
    expect(texts(seen).sort()).toEqual(['0b', '1a', '1b']);
    await log.append('status', [record('0c', { partition: 0 })]);
    await tail.reached([3, 2], 20_000);
    expect(texts(seen).at(-1)).toBe('0c');
    await tail.stop();
    await log.append('status', [record('0d', { partition: 0 })]);
    expect(seen).toHaveLength(4);
  });

  it('has reached what it has handed over already, and the beginning of an empty topic', async () => {
    const log = await folders.open();
    const seen: LogRecord[] = [];
    const tail = await log.tail('status', [], (records) => seen.push(...records));
    await tail.reached([0], 0);
    expect(seen).toEqual([]);
    await log.append('status', [record('a')]);
    await tail.reached([1], 20_000);
    expect(texts(seen)).toEqual(['a']);
    await tail.reached([1], 0);
    await expect(tail.reached([2], 0)).rejects.toThrow(LogUnavailableError);
  });

  it('tells when it does not get there in time', async () => {
    const log = await folders.open();
    const tail = await log.tail('status', [0], () => undefined);
    await expect(tail.reached([1], 20)).rejects.toThrow(LogUnavailableError);
    await log.append('status', [record('a')]);
    await tail.reached([1], 20_000);
  });

  it('lets nobody wait for a tail that has stopped or cannot go on', async () => {
    const log = await folders.open();
    const stopped = await log.tail('status', [0], () => undefined);
    const waiting = expect(stopped.reached([1], 20_000)).rejects.toThrow('stopped');
    await stopped.stop();
    await waiting;
    const failing = await log.tail('status', [0], () => {
      throw new Error('not a transition');
    });
    await log.append('status', [record('a')]);
    await expect(failing.reached([1], 20_000)).rejects.toThrow('cannot go on');
    await expect(failing.reached([1], 20_000)).rejects.toThrow(LogUnavailableError);
  });
});
