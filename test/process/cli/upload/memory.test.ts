import { open } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { makeFolder, removeFolder, startProgram } from '../program.js';

const MIB = 1_048_576;
const ROWS = 500_000;

let folder: string;

beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => removeFolder(folder));

/** The most memory that a process has had, in bytes; 0 once it has ended and nobody has asked how. */
function peakOf(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib ?? 0) * 1024;
}

test('500,000 rows of as many keys are divided and judged in less than 256 MiB', async () => {
  const path = join(folder, 'large.csv');
  const file = await open(path, 'w');
  await file.write('date,channel,currency,campaign,impressions,clicks,cost\n');
  for (let from = 0; from < ROWS; from += 10_000) {
    const lines = Array.from({ length: 10_000 }, (_, i) => {
      // Neighbours in the file are far apart in the order of keys.
      const key = ((from + i) * 7_919) % ROWS;
      return `2026-02-03,news,EUR,a campaign with the number ${key},${i},1,2.5\n`;
    });
    await file.write(lines.join(''));
  }
  await file.close();
  const program = startProgram({}, ['validate', path, '--family', 'cost']);
  let peak = 0;
  const timer = setInterval(() => {
    try {
      peak = Math.max(peak, peakOf(program.process.pid!));
    } catch {
      // It has ended.
    }
  }, 20);
  const { code, out } = await program.outcome;
  clearInterval(timer);
  expect([code, out]).toEqual([0, `${path}: 500000 rows, valid\n`]);
  expect(peak).toBeGreaterThan(20 * MIB);
  expect(peak).toBeLessThan(256 * MIB);
});
