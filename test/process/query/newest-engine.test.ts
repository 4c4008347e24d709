import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { bytesOf, LARGEST, LAST_DAY, reportFiles } from '../../../bench/load/report-files.js';
import { questionsUpTo } from '../../../bench/reports/questions.js';
import { chdbFolder } from '../../../src/config/data-folder.js';
import { FAMILIES } from '../../../src/domain/families/index.js';
import { analystsQuestions } from '../../support/documents/analysts-questions.js';
import { code, Page, snippet } from '../../support/documents/page.js';
import {
  choicesOf,
  interpolate,
  isAskedFor,
  openedOn,
  readReport,
  sqlOf,
} from '../../support/documents/report-dashboard.js';
import { ServiceWithSamples, withDatesMoved } from '../../support/files/samples.js';
import { describeIf } from '../../support/machine/describe-if.js';
import { hasPython, PYTHON_SET_UP_MS, pythonWith } from '../../support/machine/python.js';
import { ApiClient } from '../../support/service/api-client.js';
import { run } from '../../support/service/command.js';
import { tokenFor } from '../../support/service/service-process.js';
import { until } from '../../support/until.js';

/**
 * The newest engine opens a copy of a data folder and is asked what people ask. It has to give the
 * results that the analysts' page shows, and to everything else the answers of the service.
 */

const PYTHON = 'chdb';
const REQUIREMENTS = new URL('../../../bench/reports/requirements.txt', import.meta.url);
const ASK = fileURLToPath(new URL('newest-engine/ask.py', import.meta.url));
const DAY_MS = 86_400_000;
/** B9's files of its largest account, before any replaces keys. */
const FILES = 5;
/** B9's last day is moved to yesterday, because self-serve files may not be old. */
const YESTERDAY = (Math.floor(Date.now() / DAY_MS) - 1) * DAY_MS;

/** `missing_days` before the last day: the others may change until the second engine is asked. */
const GAPS = 'arrayFilter(day -> day < last_date, missing_days)';

const page = new Page('analysts.md');
const documented = analystsQuestions(page);
const views = page
  .tableUnder('## Tables and views')
  .map(([cell]) => code(cell!))
  .map((view) => {
    const columns = view === 'data_freshness' ? `* REPLACE (${GAPS} AS missing_days)` : '*';
    return { view, sql: `SELECT ${columns} FROM ${view} WHERE account = 'acme' ORDER BY ALL` };
  });
const ofB9 = questionsUpTo(YESTERDAY);
/** Queries that pages show within a command or within the text. */
const inPassing = [
  { page: 'README', sql: inQuotes(snippet('../README.md', 'FROM cost_report')) },
  { page: 'analysts', sql: inQuotes(snippet('analysts.md', 'default_format=PrettyCompact')) },
];
const { text: operations } = new Page('operations.md');
/**
 * What the operations page tells to ask. Most of it finds nothing while all is well. The number of
 * rows of a table is left out, because a merge changes it.
 */
const ofOperations = [...operations.matchAll(/`(SELECT (?!count)[^`]+)`/g)].map(([, sql]) => sql!);

const reports = ['actuals', 'trends', 'quality'].map(readReport);
/** Up to tomorrow: midnight may come before the samples are uploaded. */
const opened = openedOn('acme', YESTERDAY - 29 * DAY_MS, YESTERDAY + 2 * DAY_MS);
const choices: Record<string, string>[] = [
  {},
  ...choicesOf(reports, [
    'impressions',
    'clicks',
    'cost_per_click',
    'cost_per_thousand_impressions',
    'self-serve/CallCenterOrders',
    'self-serve/StoreVisits',
  ]),
];
const drawn = reports.flatMap(({ title, panels: all }) =>
  all.map(({ title: panel, targets: [{ rawSql }] }) => ({ name: `${title}: ${panel}`, rawSql })),
);
/**
 * Each group-by column is chosen on one panel of costs and on one of metrics: the others ask one of
 * these two views. `deploy/reports` chooses all columns on each panel.
 */
const isAskedHere = (name: string, { groupBy }: Record<string, string>): boolean =>
  groupBy === undefined || /: (?:Cost|Self-serve metrics) by /.test(name);
const panels = drawn.map(({ name, rawSql }) => ({
  name,
  statements: choices
    .filter((choice) => isAskedFor(choice, rawSql) && isAskedHere(name, choice))
    .map((choice) => interpolate(rawSql, { ...opened, ...choice }))
    .map((sql) => sql.replaceAll('missing_days', GAPS)),
}));
const variables = reports
  .flatMap(({ templating }) => templating.list)
  .filter(({ type }) => type === 'query')
  .map((variable) => interpolate(sqlOf(variable), opened));

const statements = [
  ...documented.map(({ sql }) => sql),
  ...views.map(({ sql }) => sql),
  ...panels.flatMap((panel) => panel.statements),
  ...variables,
  ...inPassing.map(({ sql }) => sql),
  ...ofOperations,
  ...ofB9.map(({ view }) => view),
];

/** What the newest engine reads for a query that needs one element of an array. */
const WHAT_IS_READ = 'EXPLAIN header = 1 SELECT sum(clicks) FROM cost_report';

interface Outcome {
  readonly answer?: string;
  readonly error?: string;
}

describeIf(hasPython(PYTHON), 'Python with its module venv is missing')('the newest engine', () => {
  let samples: ServiceWithSamples;
  let copy: string;
  let version: string;
  const shipped = new Map<string, string>();
  const newest = new Map<string, Outcome>();

  beforeAll(async () => {
    const python = pythonWith(PYTHON, fileURLToPath(REQUIREMENTS));
    samples = await ServiceWithSamples.start();
    await uploadFilesOfB9(samples);
    for (const sql of statements) shipped.set(sql, await samples.ask(sql));
    await samples.service.stop();

    copy = await mkdtemp(join(tmpdir(), 'custom-data-newest-'));
    await cp(chdbFolder(samples.service.dataDir), copy, {
      recursive: true,
      verbatimSymlinks: true,
    });
    // Links of the copy must not lead back.
    await samples.close();
    const questions = [...statements, WHAT_IS_READ];
    const order = { path: copy, settings: samples.settings, questions };
    const output = run(python, [ASK], { input: `${JSON.stringify(order)}\n` });
    const [first, ...outcomes] = output.trimEnd().split('\n');
    version = JSON.parse(first!) as string;
    questions.forEach((sql, at) => newest.set(sql, JSON.parse(outcomes[at]!) as Outcome));
  }, PYTHON_SET_UP_MS);
  afterAll(async () => {
    await samples.close();
    await rm(copy, { recursive: true, force: true });
  });

  /** Compares the answers of both engines, which have to have rows. */
  function expectSame(sql: string): void {
    expect([sql, newest.get(sql)]).toEqual([sql, { answer: shipped.get(sql) }]);
    expect(shipped.get(sql)!.trimEnd().split('\n').length).toBeGreaterThan(1);
  }

  test('is 26.9 or newer', () => {
    process.stderr.write(`\nthe newest engine is ${version}\n`);
    const [year, month] = version.split('.').map(Number);
    expect(100 * year! + month!).toBeGreaterThanOrEqual(2609);
  });

  describe('gives the result that the page shows', () => {
    test.each(documented)('$question', ({ sql, result }) => {
      const { answer, error } = newest.get(sql)!;
      expect(error).toBeUndefined();
      expect(samples.cellsIn(answer!)).toEqual(result);
    });
  });

  test.each(views)('shows the same in $view', ({ sql }) => {
    expectSame(sql);
  });

  test.each(panels)('draws the same on $name, with any choice', (panel) => {
    for (const sql of panel.statements) expectSame(sql);
  });

  test('offers the same values of variables', () => {
    for (const sql of variables) expectSame(sql);
  });

  test.each(inPassing)('answers the same to the query of the page $page', ({ sql }) => {
    const { answer = '', error } = newest.get(sql)!;
    expect(error).toBeUndefined();
    // Not all of them say in which order.
    const lines = (text: string): string[] => text.trimEnd().split('\n').sort();
    expect(lines(answer)).toEqual(lines(shipped.get(sql)!));
    expect(lines(answer).length).toBeGreaterThan(1);
  });

  test.each(ofOperations)('answers the same to the operations page: %s', (sql) => {
    const { answer = '', error } = newest.get(sql)!;
    expect(error).toBeUndefined();
    expect(rowsOf(answer)).toEqual(rowsOf(shipped.get(sql)!));
  });

  test('reads only the elements that a query uses', () => {
    const { answer } = newest.get(WHAT_IS_READ)!;
    expect(answer).toContain('combinations.clicks');
    expect(answer).not.toContain('combinations.texts');
  });

  test.each(ofB9)('B9: $name', ({ view }) => {
    expectSame(view);
  });
});

/** The query of a curl command. */
function inQuotes(block: string): string {
  return /"(SELECT [^"]*)"/.exec(block)![1]!;
}

/** The rows of a result without its header, in any order. An engine may leave both out. */
function rowsOf(result: string): string[] {
  return result.trimEnd().split('\n').slice(1).sort();
}

async function uploadFilesOfB9({ service, correction }: ServiceWithSamples): Promise<void> {
  const token = await tokenFor(service.dataDir, LARGEST);
  const client = new ApiClient(() => service.ports.api, token);
  // The service accepts a token within a second.
  await until(async () => (await client.get('cost', correction)).status !== 401, 50);
  for (const { name } of FAMILIES) {
    const files = reportFiles(name, FILES).filter(({ account }) => account === LARGEST);
    for (const file of files) {
      const content = withDatesMoved(bytesOf(file).toString(), YESTERDAY - LAST_DAY);
      const { status, reason } = await client.upload(name, content);
      expect({ status, reason }).toEqual({ status: 'succeeded', reason: null });
    }
  }
}
