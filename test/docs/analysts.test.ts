import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { FamilyName } from '../../src/domain/families/index.js';
import { ApiClient } from '../helpers/api-client.js';
import {
  makeDataDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../helpers/service-process.js';
import { Page, rowsOf } from './page.js';

/** The page's queries against the built service, after the page's own steps. */

const page = new Page('analysts.md');
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DAY_MS = 86_400_000;
const DATE = /\d{4}-\d{2}-\d{2}/g;

const run = promisify(execFile);
/** The last day of the samples' cost data. */
const SAMPLE_DAY = '2026-03-05';
/** How far the samples were moved. */
let shiftMs: number;
/** The upload that corrects the first one. */
let correction: string;

let dataDir: string;
let service: ServiceProcess;

beforeAll(async () => {
  dataDir = await makeDataDir();
  const token = await tokenFor(dataDir, 'acme');
  service = await ServiceProcess.start(dataDir);
  const client = new ApiClient(() => service.ports.api, token);

  const upload = async (family: FamilyName, sample: string, status = 'succeeded') => {
    const content = await recent(sample);
    const record = await client.upload(family, content);
    expect(record.status).toBe(status);
    return { content, requestId: record.requestId };
  };
  await upload('cost', 'cost.csv');
  const corrected = await upload('cost', 'cost-correction.csv');
  correction = corrected.requestId;
  const lastDay = corrected.content.match(DATE)!.at(-1)!;
  shiftMs = Date.parse(lastDay) - Date.parse(SAMPLE_DAY);
  await upload('self-serve', 'self-serve.csv');
  await upload('cost', 'cost-broken.csv', 'failed');
  await run(
    process.execPath,
    ['dist/cli/main.js', 'metrics', 'archive', 'OldScore', '--account', 'acme'],
    { cwd: ROOT, env: { DATA_DIR: dataDir } },
  );
  await until('SELECT name FROM metrics WHERE archived', 1);
  await until("SELECT request_id FROM upload_requests WHERE status IN ('succeeded', 'failed')", 4);
});
afterAll(async () => {
  await service.kill();
  await removeDataDir(dataDir);
});

/** A sample with its dates moved, as the page's command prints it. */
async function recent(sample: string): Promise<string> {
  const args = ['docs/samples/recent.mjs', `docs/samples/${sample}`];
  return (await run(process.execPath, args, { cwd: ROOT })).stdout;
}

/** Waits for what is written a moment after the API tells it. */
async function until(sql: string, rows: number): Promise<void> {
  while ((await service.query(sql)).length < rows) await sleep(50);
}

/** The result of a query with its head, as text, with the dates of the samples as they are committed. */
async function ask(sql: string): Promise<string[][]> {
  const parameters = new URLSearchParams({
    default_format: 'TSVWithNames',
    format_tsv_null_representation: 'NULL',
    session_timezone: 'UTC',
    param_request: correction,
  });
  const answer = await fetch(`http://127.0.0.1:${service.ports.query}/?${parameters.toString()}`, {
    method: 'POST',
    body: sql,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text
    .replace(DATE, (date) => new Date(Date.parse(date) - shiftMs).toISOString().slice(0, 10))
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
  expect(shiftMs % (7 * DAY_MS)).toBe(0);
  const age = (Date.now() - Date.parse(SAMPLE_DAY) - shiftMs) / DAY_MS;
  expect(age).toBeGreaterThanOrEqual(4);
  expect(age).toBeLessThan(11.01);
});

test('the views of the page are those of the warehouse', async () => {
  const views = page.tableUnder('## Tables and views').map(([name]) => name!.replaceAll('`', ''));
  const stored = await service.query<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = 'custom_data' AND engine = 'View'",
  );
  expect(views.sort()).toEqual(stored.map(({ name }) => name).sort());
});

test('the example of curl is answered', async () => {
  const command = page.fences().find(({ content }) => content.startsWith('curl '))!.content;
  const [, parameters, sql] = /^curl '[^?]*(\?[^']*)' --data-binary \\\n\s*"(.*)"\n$/.exec(
    command,
  )!;
  const url = `http://127.0.0.1:${service.ports.query}/${parameters!}`;
  const answer = await fetch(url, { method: 'POST', body: sql! });
  expect(await answer.text()).toContain('566.25');
});
