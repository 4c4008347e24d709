import { expect, test } from '@jest/globals';

import { Watermark } from '../../../../src/ingest/watermark/owned-partition.js';

test('without holds it is the next record', () => {
  const watermark = new Watermark(7);
  expect(watermark.value).toBe(7);
  watermark.advance(9);
  expect(watermark.value).toBe(9);
});

test('never goes back', () => {
  const watermark = new Watermark(7);
  watermark.advance(3);
  expect(watermark.value).toBe(7);
});

test('never passes the first record of an upload that is held', () => {
  const watermark = new Watermark(0);
  watermark.hold('a', 0);
  watermark.hold('b', 1);
  watermark.hold('a', 2);
  watermark.advance(10);
  expect(watermark.value).toBe(0);
  watermark.release('a');
  expect(watermark.value).toBe(1);
  watermark.release('b');
  expect(watermark.value).toBe(10);
});

test('waits for the oldest when later ones are released first', () => {
  const watermark = new Watermark(0);
  for (const [i, id] of ['a', 'b', 'c'].entries()) watermark.hold(id, i);
  watermark.advance(3);
  watermark.release('b');
  watermark.release('c');
  expect(watermark.value).toBe(0);
  watermark.release('a');
  expect(watermark.value).toBe(3);
});

test('a release of what is not held changes nothing', () => {
  const watermark = new Watermark(0);
  watermark.hold('a', 0);
  watermark.advance(5);
  watermark.release('b');
  expect(watermark.value).toBe(0);
});
