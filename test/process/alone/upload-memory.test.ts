import { open } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { countChecked } from '../../support/service/soak.js';
import type { Running } from '../clients/cli/program.js';
import { UploadFixture } from '../clients/cli/upload/service.js';

const MIB = 1_048_576;
/** The soak uses the file size that the documents mention: 5,000,000 rows. */
const ROWS = Number(process.env['LARGE_FILE_ROWS'] ?? 500_000);
const WRITTEN_AT_ONCE = 10_000;

let fixture: UploadFixture;
let path: string;

beforeAll(async () => {
  fixture = await UploadFixture.open();
  path = join(fixture.folder, 'large.csv');
  const file = await open(path, 'w');
  await file.write('date,channel,currency,campaign,impressions,clicks,cost\n');
  for (let from = 0; from < ROWS; from += WRITTEN_AT_ONCE) {
    const lines = Array.from({ length: WRITTEN_AT_ONCE }, (_, i) => {
      // Neighbours in the file are far apart in key order.
      const key = ((from + i) * 7_919) % ROWS;
      return `2026-02-03,news,EUR,a campaign with the number ${key},${key},1,2.5\n`;
    });
    await file.write(lines.join(''));
  }
  await file.close();
});
afterAll(() => fixture.close());

/** Returns the peak memory of a process in bytes, or 0 if it has ended but is not reaped yet. */
function peakOf(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib ?? 0) * 1024;
}

async function peakUntilEnded({ process: child }: Running): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    try {
      peak = Math.max(peak, peakOf(child.pid!));
    } catch {
      // The process has ended.
    }
  }, 20);
  await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(timer);
  return peak;
}

test(`${ROWS} rows of as many keys are divided and judged in less than 256 MiB`, async () => {
  const program = fixture.start(['validate', path, '--family', 'cost']);
  const peak = await peakUntilEnded(program);
  const { code, out } = await program.outcome;
  expect([code, out]).toEqual([0, `${path}: ${ROWS} rows, valid\n`]);
  expect(peak).toBeGreaterThan(20 * MIB);
  expect(peak).toBeLessThan(256 * MIB);
});

test('and uploaded in less than 256 MiB, every row of them', async () => {
  const program = fixture.start(['upload', path, '--family', 'cost']);
  const peak = await peakUntilEnded(program);
  const { code, out } = await program.outcome;
  expect([code, out]).toEqual([0, expect.stringContaining(`${ROWS} rows in `)]);
  expect(peak).toBeGreaterThan(20 * MIB);
  expect(peak).toBeLessThan(256 * MIB);
  const [stored] = await fixture.service.query<object>(
    `SELECT count() AS rows, uniqExact(campaign) AS campaigns, sum(impressions) AS impressions
     FROM cost_rows WHERE account = 'acme'`,
  );
  expect(stored).toEqual({ rows: ROWS, campaigns: ROWS, impressions: (ROWS * (ROWS - 1)) / 2 });
  countChecked('rows of one file', ROWS);
}, 900_000);
