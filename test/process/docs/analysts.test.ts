import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { SAMPLE_DAY, ServiceWithSamples } from '../../support/files/samples.js';
import { Page, rowsOf } from '../../support/documents/page.js';

/** Runs the page's queries against the built service, after the page's own steps. */

const page = new Page('analysts.md');
const DAY_MS = 86_400_000;

let samples: ServiceWithSamples;
beforeAll(async () => {
  samples = await ServiceWithSamples.start();
});
afterAll(() => samples.close());

/** Returns the result of a query as text, with header and the dates of the committed samples. */
async function ask(sql: string): Promise<string[][]> {
  const parameters = new URLSearchParams({
    default_format: 'TSVWithNames',
    format_tsv_null_representation: 'NULL',
    session_timezone: 'UTC',
    param_request: samples.correction,
  });
  const answer = await fetch(`${samples.url}/?${parameters.toString()}`, {
    method: 'POST',
    body: sql,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return samples
    .withDatesOfSamples(text)
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t'));
}

const queries = [
  ...page.text.matchAll(/^### ([^\n]*)$|^```sql\n(.*?)^```\n\n((?:\|[^\n]*\n)+)/gms),
];
const asked: (readonly [question: string, sql: string, result: string])[] = [];
let question = '';
for (const [, heading, sql, result] of queries) {
  if (heading !== undefined) question = heading;
  else asked.push([question, sql!, result!]);
}

test('every query of the page is followed by its result', () => {
  expect(asked).toHaveLength(page.fences().filter(({ language }) => language === 'sql').length);
  expect(asked.length).toBeGreaterThan(10);
});

test.each(asked)('%s', async (_question, sql, result) => {
  expect(await ask(sql)).toEqual(rowsOf(result));
});

test('the samples move by whole weeks, into the last whole week', () => {
  expect(samples.shiftMs % (7 * DAY_MS)).toBe(0);
  const age = (Date.now() - Date.parse(SAMPLE_DAY) - samples.shiftMs) / DAY_MS;
  expect(age).toBeGreaterThanOrEqual(4);
  expect(age).toBeLessThan(11.01);
});

test('the views of the page are those of the warehouse', async () => {
  const views = page.tableUnder('## Tables and views').map(([name]) => name!.replaceAll('`', ''));
  const stored = await samples.service.query<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = 'custom_data' AND engine = 'View'",
  );
  expect(views.sort()).toEqual(stored.map(({ name }) => name).sort());
});
