import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { Candidates } from '../../../src/ingest/parse/candidates.js';
import { runs } from '../property.js';

const COMMA = 0x2c;
const DASH = 0x2d;

test('every byte that is a comma or less is found from any place on, then the end, and else only dashes', () => {
  // Mostly what stands close to the comma, on both sides of it and of the highest bit.
  const byte = fc.oneof(
    fc.constantFrom(0, 0x0a, 0x22, 0x2b, COMMA, DASH, 0x2e, 0x7f, 0x80, 0xac, 0xad, 0xff),
    fc.nat(255),
  );
  const content = fc
    .uint8Array({ maxLength: 40 })
    .chain((wide) => fc.array(byte, { minLength: wide.length, maxLength: wide.length }));
  let dashes = 0;
  fc.assert(
    fc.property(content, fc.nat(7), fc.nat(40), fc.nat(40), (values, offset, size, seek) => {
      const bytes = new Uint8Array(new ArrayBuffer(offset + values.length), offset);
      bytes.set(values);
      const end = Math.min(size, values.length);
      const from = Math.min(seek, end);
      const candidates = new Candidates(bytes, end);
      candidates.seek(from);
      const found: number[] = [];
      do found.push(candidates.next());
      while (found.at(-1)! < end);
      const inside = found.slice(0, -1);
      dashes += inside.filter((at) => bytes[at] === DASH).length;
      expect(found.at(-1)).toBe(end);
      expect(inside.filter((at) => bytes[at] !== DASH)).toEqual(
        Array.from({ length: end }, (_, at) => at).filter(
          (at) => at >= from && bytes[at]! <= COMMA,
        ),
      );
      expect(inside).toEqual([...new Set(inside)].sort((a, b) => a - b));
    }),
    runs(2_000),
  );
  expect(dashes).toBeGreaterThan(0);
});
