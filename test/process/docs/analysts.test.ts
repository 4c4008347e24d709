import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { SAMPLE_DAY, ServiceWithSamples } from '../../support/files/samples.js';
import { analystsQuestions } from '../../support/documents/analysts-questions.js';
import { adapted, sh, TOOL } from '../../support/documents/commands.js';
import { code, Page, snippet, snippets } from '../../support/documents/page.js';
import { until } from '../../support/until.js';
import { describeIf } from '../../support/machine/describe-if.js';
import { runs } from '../../support/service/command.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';

/** Runs the page's queries against the built service, after the page's own steps. */

const page = new Page('analysts.md');
const asked = analystsQuestions(page);
const DAY_MS = 86_400_000;

let samples: ServiceWithSamples;
beforeAll(async () => {
  samples = await ServiceWithSamples.start();
});
afterAll(() => samples.close());

test('every query of the page is followed by its result', () => {
  expect(asked.map(({ sql }) => sql)).toEqual(snippets('analysts.md', 'sql'));
  expect(asked.length).toBeGreaterThan(10);
});

test.each(asked)('$question', async ({ sql, result }) => {
  expect(samples.cellsIn(await samples.ask(sql))).toEqual(result);
});

test('the samples move by whole weeks, into the last whole week', () => {
  expect(samples.shiftMs % (7 * DAY_MS)).toBe(0);
  const age = (Date.now() - Date.parse(SAMPLE_DAY) - samples.shiftMs) / DAY_MS;
  expect(age).toBeGreaterThanOrEqual(4);
  expect(age).toBeLessThan(11.01);
});

test('the views of the page are those of the warehouse', async () => {
  const views = page.tableUnder('## Tables and views').map(([name]) => code(name!));
  const stored = await samples.service.query<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = 'custom_data' AND engine = 'View'",
  );
  expect(views.sort()).toEqual(stored.map(({ name }) => name).sort());
});

test('the columns of the views of quality and usage are those of the page', async () => {
  const columns = page
    .tableUnder('### Data quality and usage')
    .map(([view, name]) => `${code(view!)}.${code(name!)}`);
  const stored = await samples.service.query<{ path: string }>(
    `SELECT concat(table, '.', name) AS path FROM system.columns
     WHERE database = 'custom_data' AND name != 'account'
       AND table IN ('data_freshness', 'spelling_variants', 'upload_activity')`,
  );
  expect(columns.sort()).toEqual(stored.map(({ path }) => path).sort());
});

describeIf(runs('curl', ['--version']), 'curl is missing')("the page's own commands", () => {
  const CONTENT = [
    'SELECT * EXCEPT (request_id, uploaded_at) FROM cost_rows ORDER BY ALL',
    'SELECT * FROM self_serve_report ORDER BY ALL',
    'SELECT name, archived FROM metrics ORDER BY name',
    'SELECT status, count() FROM upload_requests GROUP BY status ORDER BY status',
  ];
  let dataDir: string;
  let service: ServiceProcess;
  let token: string;
  beforeAll(async () => {
    dataDir = await makeMigratedDir();
    token = await tokenFor(dataDir, 'acme');
    service = await ServiceProcess.start(dataDir);
  });
  afterAll(async () => {
    await service.kill();
    await removeDataDir(dataDir);
  });

  test('make the samples', async () => {
    const commands = adapted(snippet('analysts.md', 'recent.mjs'), {
      'http://127.0.0.1:8080': `http://127.0.0.1:${service.ports.api}`,
      'npx custom-data': TOOL,
    });
    await sh(commands, { TOKEN: token, DATA_DIR: dataDir });
    const content = (of: ServiceProcess): Promise<string> =>
      Promise.all(CONTENT.map((sql) => of.query(sql))).then((rows) => JSON.stringify(rows));
    const expected = await content(samples.service);
    await until(async () => (await content(service)) === expected, 100);
  });
});
