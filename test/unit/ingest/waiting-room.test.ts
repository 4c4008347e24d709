import { expect, test } from '@jest/globals';

import { WaitingRoom } from '../../../src/ingest/waiting-room.js';

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
  const room = new WaitingRoom(100);
  const { in: inside, enter } = visitors(room);
  for (const name of ['a', 'b', 'c', 'd']) enter(name, 50);
  await turn();
  expect(inside).toEqual(['a', 'b']);
  room.leave(50);
  await turn();
  expect(inside).toEqual(['a', 'b', 'c']);
  room.leave(50);
  await turn();
  expect(inside).toEqual(['a', 'b', 'c', 'd']);
});

test('one that is larger than the room comes in, and is not passed by small ones', async () => {
  const room = new WaitingRoom(100);
  const { in: inside, enter } = visitors(room);
  for (const name of ['a', 'b']) enter(name, 50);
  enter('large', 1_000);
  enter('small', 1);
  await turn();
  room.leave(50);
  await turn();
  expect(inside).toEqual(['a', 'b', 'large']);
  room.leave(50);
  await turn();
  expect(inside).toEqual(['a', 'b', 'large']);
  room.leave(1_000);
  await turn();
  expect(inside).toEqual(['a', 'b', 'large', 'small']);
});

test('one that is not wanted any more waits no longer, and takes no room', async () => {
  const room = new WaitingRoom(100);
  expect(await room.enter(100, wanted)).toBe(true);
  let isWanted = true;
  const entering = room.enter(100, () => isWanted);
  isWanted = false;
  room.wake();
  expect(await entering).toBe(false);
  room.leave(100);
  expect(await room.enter(1, wanted)).toBe(true);
});
