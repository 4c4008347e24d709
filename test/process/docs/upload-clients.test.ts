import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { runs } from '../../support/service/command.js';
import { describeIf } from '../../support/machine/describe-if.js';
import { hasPython, PYTHON_SET_UP_MS, pythonWith } from '../../support/machine/python.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';
import { adapted, sh, stepsOf, TOOL } from '../../support/documents/commands.js';
import { snippet } from '../../support/documents/page.js';
import { fileWith } from '../../support/files/files.js';
import { costRows } from '../../support/files/cost-rows.js';
import { COST, csvOf } from '../../support/model/warehouse-model.js';

/** Runs the page's programs unchanged against the built service. */

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const REQUIREMENTS = fileURLToPath(new URL('python/requirements.txt', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../../../docs/samples/cost.csv', import.meta.url));
const PYTHON = 'requests';

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g;

let service: ServiceProcess;
let dataDir: string;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  dataDir = await makeMigratedDir();
  const token = await tokenFor(dataDir, 'acme');
  service = await ServiceProcess.start(dataDir);
  // Inside the package, because the programs import it by name.
  folder = await mkdtemp(join(ROOT, '.cache', 'clients-'));
  await copyFile(SAMPLE, join(folder, 'costs.csv'));
  env = {
    PATH: process.env['PATH'] ?? '',
    CUSTOM_DATA_URL: `http://127.0.0.1:${service.ports.api}`,
    CUSTOM_DATA_TOKEN: token,
  };
});
afterAll(async () => {
  await service.kill();
  await removeDataDir(dataDir);
  await rm(folder, { recursive: true });
});

const masked = (text: string): string => text.replace(ID, 'ID').replaceAll(TIME, 'TIME');

async function expectRows(): Promise<void> {
  const [row] = await service.query<{ rows: number }>('SELECT count() AS rows FROM cost_rows');
  expect(row?.rows).toBeGreaterThan(0);
}

test('the commands print what the page shows', async () => {
  const own = join(folder, 'commands');
  await mkdir(own);
  const names = Array.from({ length: 60_000 }, (_, i) => `campaign ${i}`);
  await writeFile(join(own, 'costs.csv'), csvOf(COST, costRows(names, 1)));
  const page = snippet('upload-clients.md', 'CUSTOM_DATA_URL=https');
  const steps = stepsOf(
    adapted(page, {
      'https://uploads.example.com': env['CUSTOM_DATA_URL']!,
      'TOKEN=...': `TOKEN=${env['CUSTOM_DATA_TOKEN']!}`,
      'npx custom-data': TOOL,
    }),
  );
  let requestId = '';
  for (const { command, output } of steps) {
    const here = `${steps[0]!.command}\n${command.replace(ID, requestId)}`;
    const { stdout, stderr } = await sh(here, { XDG_STATE_HOME: own }, own);
    expect(masked(stdout)).toBe(masked(output));
    // The upload tells of each request where nobody looks at a terminal.
    requestId = ID.exec(stderr)?.[0] ?? requestId;
  }
});

test('convert prints what the page shows', async () => {
  const rows = [
    'Date;Channel;Currency;Campaign;Impressions;Clicks;Cost',
    '13.02.2026;newsletter;EUR;Spring sale;12000;340;1.234,50',
    '14.02.2026;newsletter;EUR;Spring sale;900;12;2,5',
  ];
  const own = join(folder, 'convert');
  await mkdir(own);
  await writeFile(join(own, 'export.csv'), rows.map((row) => `${row}\r\n`).join(''));
  const page = snippet('upload-clients.md', 'custom-data convert export.csv');
  for (const { command, output } of stepsOf(adapted(page, { 'npx custom-data': TOOL }))) {
    expect((await sh(command, {}, own)).stdout).toBe(output);
  }
});

test('the program with the client for Node.js uploads and follows', async () => {
  const path = join(folder, 'program.mjs');
  await writeFile(path, snippet('upload-clients.md', 'new UploadClient'));
  const { stdout } = await run(process.execPath, [path], { env, cwd: folder });
  expect(stdout).toBe('succeeded\n');
  await expectRows();
});

describeIf(runs('curl', ['--version']), 'curl is missing')('curl', () => {
  test('uploads and follows', async () => {
    const { stdout } = await sh(snippet('upload-clients.md', 'curl -sS'), env, folder);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', reason: null });
    await expectRows();
  });

  const CREATE = snippet('upload-clients.md', 'curl -sS');

  test('ends with 1 when the service does not take the file', async () => {
    const refused = { ...env, CUSTOM_DATA_TOKEN: 'wrong' };
    await expect(sh(CREATE, refused, folder)).rejects.toMatchObject({ code: 1 });
  });

  test('ends with 1 when the request fails', async () => {
    const own = join(folder, 'failing');
    await mkdir(own);
    await writeFile(join(own, 'costs.csv'), fileWith('cost', { cost: 'x' }));
    await expect(sh(CREATE, env, own)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"status":"failed"') as unknown,
    });
  });
});

describeIf(hasPython(PYTHON), 'Python with its module venv is missing')(
  'requests of Python',
  () => {
    let python: string;
    beforeAll(() => {
      python = pythonWith(PYTHON, REQUIREMENTS);
    }, PYTHON_SET_UP_MS);

    test('uploads and follows', async () => {
      const program = snippet('upload-clients.md', 'import requests');
      const { stdout } = await run(python, ['-c', program], { env, cwd: folder });
      expect(stdout).toBe('succeeded None\n');
      await expectRows();
    });
  },
);
