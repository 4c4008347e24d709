import { describe, expect, test } from '@jest/globals';

import { FAMILIES, type FamilyName } from '../../../src/domain/families/index.js';
import { prepareUpload } from '../../../src/csv/prepare-upload.js';
import { heapUsed } from '../../support/machine/heap-used.js';
import { FACTS, fileWith } from '../../support/files/files.js';

/**
 * The cost of bad input is linear in its size. Each shape is measured at one size and at four times
 * that size. A quadratic path would take sixteen times as long, and minutes at the larger size.
 */

const MIB = 1024 * 1024;
const COST = fileWith('cost', {});
const HEADER = COST.slice(0, COST.indexOf('\n') + 1);
const SELF_SERVE_HEADER = 'date,channel,event_category,event_value\n';

const fill = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));
const wideHeader = (columns: number): string =>
  Array.from({ length: columns }, (_, i) => `c${i}`).join(',') + '\n';

/** Returns strings that collide in simple hashes: "Aa" and "BB" are equal in base 31. */
function nearCollisions(count: number): string[] {
  const length = Math.ceil(Math.log2(count));
  return Array.from({ length: count }, (_, i) =>
    Array.from({ length }, (_, bit) => ((i >> bit) & 1 ? 'Aa' : 'BB')).join(''),
  );
}

const SHAPES: [name: string, family: FamilyName, file: (size: number) => string][] = [
  ['quotes', 'cost', (size) => fill('"', size)],
  ['quotes in one field of a row', 'cost', (size) => `${HEADER}"${fill('""', size)}`],
  ['quotes in one field that is closed', 'cost', (size) => `${HEADER}"${fill('""', size)}"\n`],
  ['closed quotes with text after them', 'cost', (size) => HEADER + fill('"a"b', size)],
  ['commas', 'cost', (size) => fill(',', size)],
  ['commas in a row', 'cost', (size) => HEADER + fill(',', size)],
  ['line breaks', 'cost', (size) => fill('\n', size)],
  ['line breaks after a header', 'cost', (size) => HEADER + fill('\n', size)],
  ['carriage returns', 'cost', (size) => HEADER + fill('\r', size)],
  ['one giant field', 'cost', (size) => COST.replace('Spring', fill('x', size))],
  ['one giant number', 'cost', (size) => COST.replace('1.5', fill('9', size))],
  ['one giant fraction', 'cost', (size) => COST.replace('1.5', `0.${fill('0', size)}1`)],
  ['one giant exponent', 'cost', (size) => COST.replace('1.5', `1e${fill('0', size)}`)],
  ['one endless header name', 'cost', (size) => fill('x', size)],
  ['endless names in a header', 'cost', (size) => fill(`${'x'.repeat(5_000)},`, size)],
  ['10,000 columns', 'cost', (size) => wideHeader(10_000) + fill(`${','.repeat(9_999)}\n`, size)],
  ['rows that are wrong throughout', 'cost', (size) => HEADER + fill('x,,x,,x,x,x\n', size)],
  ['continuation bytes', 'cost', (size) => COST.replace('Spring', fill('\u0080', size / 2))],
  ['NULs', 'cost', (size) => HEADER + fill('\0,\0\n', size)],
  [
    'keys that nearly collide',
    'self-serve',
    (size) =>
      SELF_SERVE_HEADER +
      nearCollisions(Math.ceil(size / 64))
        .map((text) => `2026-03-01,${text},${text},1\n`)
        .join(''),
  ],
];

/** Returns milliseconds of processor time of this process. Other processes do not count. */
function cost(family: FamilyName, file: Buffer): number {
  const before = process.cpuUsage();
  prepareUpload(
    FAMILIES.find(({ name }) => name === family)!,
    [file],
    FACTS,
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('the cost of a file is linear in its size', () => {
  test.each(SHAPES)('%s', (_name, family, file) => {
    const [smallFile, largeFile] = [Buffer.from(file(MIB / 4)), Buffer.from(file(MIB))];
    let [small, large] = [Infinity, Infinity];
    // In turns, because the speed of a machine changes: both have its better moments.
    for (let round = 0; round < 3; round++) {
      small = Math.min(small, cost(family, smallFile));
      large = Math.min(large, cost(family, largeFile));
    }
    // Below a few milliseconds, garbage collection and compilation dominate the measurement.
    expect(large).toBeLessThan(8 * Math.max(small, 10));
    expect(large).toBeLessThan(2_000);
  });
});

test('a NUL in the last of many wide rows costs little more than none', () => {
  const rows = wideHeader(128) + fill(`${','.repeat(127)}\n`, 2 * MIB);
  let [good, damaged] = [Infinity, Infinity];
  for (let round = 0; round < 3; round++) {
    good = Math.min(good, cost('self-serve', Buffer.from(rows)));
    damaged = Math.min(damaged, cost('self-serve', Buffer.from(`${rows}\0`)));
  }
  expect(damaged).toBeLessThan(8 * Math.max(good, 10));
});

test('32 MiB of minimal self-serve rows take seconds, and memory of the order of the file', () => {
  const row = '2026-03-01,a,b,0\n';
  const file = Buffer.from(SELF_SERVE_HEADER + fill(row, 32 * MIB));
  const before = process.memoryUsage();
  const start = process.cpuUsage();
  const verdict = prepareUpload(FAMILIES[1]!, [file], FACTS);
  const { user, system } = process.cpuUsage(start);
  heapUsed();
  const after = process.memoryUsage();
  if (!verdict.valid) throw new Error(verdict.reason);
  expect(verdict.upload.rows).toBe(Math.ceil((32 * MIB) / row.length));
  expect((user + system) / 1e6).toBeLessThan(15);
  const grown = after.arrayBuffers + after.heapUsed - before.arrayBuffers - before.heapUsed;
  expect(grown).toBeLessThan(8 * file.length);
});
