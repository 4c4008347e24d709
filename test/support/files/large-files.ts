import { expect } from '@jest/globals';

import type { ApiClient } from '../service/api-client.js';
import type { QueryTarget } from '../model/compare-views.js';
import type { ServiceProcess } from '../service/service-process.js';
import { until } from '../until.js';

const FILES = 60;
const ROWS = 5_000;
const AT_ONCE = 12;

/**
 * Sends files whose columns are written to reused memory, and expects every row to be as sent: its
 * text names its numbers.
 */
export async function expectLargeFilesUnmixed(
  client: ApiClient,
  account: string,
  target: QueryTarget,
  ingest: ServiceProcess,
): Promise<void> {
  let next = 0;
  const send = async (): Promise<void> => {
    while (next < FILES) {
      const { requestId } = await client.create('cost', largeFile(next++));
      expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));

  const said =
    "concat('file ', toString(intDiv(impressions, 10000)), ', row ', toString(clicks), ' .')";
  const [found] = await target.query<object>(
    `SELECT toUInt32(count()) AS stored, toUInt32(uniqExact(campaign)) AS different,
       toUInt32(countIf(NOT startsWith(campaign, ${said}))) AS wrong,
       toUInt32(uniqExact(impressions)) AS numbers
     FROM cost_rows WHERE account = '${account}'`,
  );
  const all = FILES * ROWS;
  expect(found).toEqual({ stored: all, different: all, wrong: 0, numbers: all });
  const [totals] = await target.query<object>(
    `SELECT toUInt32(sum(clicks)) AS clicks, toUInt32(sum(cost)) AS cost
     FROM cost_summary WHERE account = '${account}'`,
  );
  expect(totals).toEqual({ clicks: (all * (ROWS - 1)) / 2, cost: all });

  // All memory was returned, and one piece of it served many files.
  const bytes = (state: string): Promise<number> =>
    ingest.metric('custom_data_column_memory_bytes', `state="${state}"`);
  await until(async () => (await bytes('lent')) === 0, 50);
  const free = await bytes('free');
  expect(free).toBeGreaterThan(0);
  expect(free).toBeLessThan((FILES / 2) * 4 * 1024 * 1024);
}

function largeFile(file: number): string {
  const rows = Array.from(
    { length: ROWS },
    (_, row) =>
      `2026-02-${String(1 + (row % 28)).padStart(2, '0')},news,EUR,` +
      `"file ${file}, row ${row} ${'.'.repeat(20 + (file % 13))}",${file * 10_000 + row},${row},1\n`,
  );
  return `date,channel,currency,campaign,impressions,clicks,cost\n${rows.join('')}`;
}
