import { expect, test } from '@jest/globals';

import { WaitingRoom } from '../../../src/ingest/waiting-room.js';

const KIB = 1024;

const wanted = (): boolean => true;

/** Records who has come in so far, in order. */
function visitors(room: WaitingRoom): {
  in: string[];
  readonly enter: (name: string, bytes: number) => void;
} {
  const inside: string[] = [];
  return {
    in: inside,
    enter: (name, bytes) => {
      void room.enter(bytes, wanted).then(() => inside.push(name));
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('of many that come at once only those come in that there is room for', async () => {
  const room = new WaitingRoom(132 * KIB);
  const { in: inside, enter } = visitors(room);
  for (const name of ['a', 'b', 'c', 'd']) enter(name, 50 * KIB);
  await turn();
  expect(inside).toEqual(['a', 'b']);
  room.leave(50 * KIB);
  await turn();
  expect(inside).toEqual(['a', 'b', 'c']);
  room.leave(50 * KIB);
  await turn();
  expect(inside).toEqual(['a', 'b', 'c', 'd']);
});

test('small ones count for what they take beside their files', async () => {
  const room = new WaitingRoom(64 * KIB * KIB);
  const { in: inside, enter } = visitors(room);
  for (let i = 0; i < 10_000; i++) enter(String(i), 100);
  await turn();
  expect(inside.length).toBeLessThan(4_100);
  expect(inside.length).toBeGreaterThan(4_000);
});

test('one that is larger than the room comes in, and is not passed by small ones', async () => {
  const room = new WaitingRoom(132 * KIB);
  const { in: inside, enter } = visitors(room);
  for (const name of ['a', 'b']) enter(name, 50 * KIB);
  enter('large', 1_000 * KIB);
  enter('small', 1);
  await turn();
  room.leave(50 * KIB);
  await turn();
  expect(inside).toEqual(['a', 'b', 'large']);
  room.leave(50 * KIB);
  await turn();
  expect(inside).toEqual(['a', 'b', 'large']);
  room.leave(1_000 * KIB);
  await turn();
  expect(inside).toEqual(['a', 'b', 'large', 'small']);
});

test('one that is not wanted any more waits no longer, and takes no room', async () => {
  const room = new WaitingRoom(116 * KIB);
  expect(await room.enter(100 * KIB, wanted)).toBe(true);
  let isWanted = true;
  const entering = room.enter(100 * KIB, () => isWanted);
  isWanted = false;
  room.wake();
  expect(await entering).toBe(false);
  room.leave(100 * KIB);
  expect(await room.enter(1, wanted)).toBe(true);
});
