import { beforeEach, describe, expect, test } from '@jest/globals';

import { Problem } from '../../../../src/gateway/http/problem.js';
import { PreviewSlots } from '../../../../src/gateway/preview/preview-slots.js';

let slots: PreviewSlots;
let started: string[];

beforeEach(() => {
  slots = new PreviewSlots();
  started = [];
});

/** Waits for a slot and notes when it has it. */
function take(account: string, name = account): { leave: () => Promise<void>; stop: () => void } {
  const stopping = new AbortController();
  const taken = slots.take(account, stopping.signal).then((leave) => {
    started.push(name);
    return leave;
  });
  taken.catch(() => undefined);
  return {
    leave: async () => {
      (await taken)();
      await settled();
    },
    stop: () => {
      stopping.abort(new Error('the client is gone'));
    },
  };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

describe('slots of previews', () => {
  test('are two, taken in order', async () => {
    const [first, second, third] = [take('a'), take('b'), take('c')];
    take('d');
    await settled();
    expect(started).toEqual(['a', 'b']);
    await second.leave();
    expect(started).toEqual(['a', 'b', 'c']);
    await first.leave();
    expect(started).toEqual(['a', 'b', 'c', 'd']);
    await third.leave();
  });

  test('are taken by one preview of an account at a time; others go ahead meanwhile', async () => {
    const first = take('a', 'a1');
    take('a', 'a2');
    take('a', 'a3');
    const other = take('b');
    await settled();
    expect(started).toEqual(['a1', 'b']);
    await other.leave();
    expect(started).toEqual(['a1', 'b']);
    await first.leave();
    expect(started).toEqual(['a1', 'b', 'a2']);
  });

  test('are not taken by clients that have gone', async () => {
    const [first] = [take('a'), take('b')];
    const gone = take('c');
    take('d');
    gone.stop();
    await first.leave();
    expect(started).toEqual(['a', 'b', 'd']);
    await expect(slots.take('e', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });
});

test('at most 16 previews wait, and 4 of an account', () => {
  const accounts = ['a', 'b', 'c', 'd'];
  const waiting = accounts.flatMap((account) => {
    const own = Array.from({ length: 4 }, () => slots.begin(account));
    expect(() => slots.begin(account)).toThrow(Problem);
    return own;
  });
  expect(() => slots.begin('e')).toThrow(Problem);
  waiting[3]!();
  slots.begin('e');
  expect(() => slots.begin('a')).toThrow(Problem);
});
