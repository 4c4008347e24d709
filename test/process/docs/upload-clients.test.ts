import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { runs } from '../../support/service/command.js';
import { describeIf } from '../../support/machine/describe-if.js';
import { hasPython, PYTHON_SET_UP_MS, pythonWith } from '../../support/machine/python.js';
import {
  makeDataDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';
import { Page } from '../../support/documents/page.js';

/** Runs the page's programs unchanged against the built service. */

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const REQUIREMENTS = fileURLToPath(new URL('python/requirements.txt', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../../../docs/samples/cost.csv', import.meta.url));
const PYTHON = 'requests';

let service: ServiceProcess;
let dataDir: string;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  dataDir = await makeDataDir();
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

/** Returns the only block of the page in this language that begins with `start`. */
function block(language: string, start: string): string {
  const found = new Page('upload-clients.md')
    .fences()
    .filter((fence) => fence.language === language && fence.content.startsWith(start));
  expect(found).toHaveLength(1);
  return found[0]!.content;
}

async function expectRows(): Promise<void> {
  const [row] = await service.query<{ rows: number }>('SELECT count() AS rows FROM cost_rows');
  expect(row?.rows).toBeGreaterThan(0);
}

test('the program with the client for Node.js uploads and follows', async () => {
  const path = join(folder, 'program.mjs');
  await writeFile(path, block('js', 'import { readFile }'));
  const { stdout } = await run(process.execPath, [path], { env, cwd: folder });
  expect(stdout).toBe('succeeded\n');
  await expectRows();
});

describeIf(runs('curl', ['--version']), 'curl is missing')('curl', () => {
  test('uploads and follows', async () => {
    const { stdout } = await run('sh', ['-ec', block('sh', 'requests=')], { env, cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', reason: null });
    await expectRows();
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
      const program = block('python', 'import os');
      const { stdout } = await run(python, ['-c', program], { env, cwd: folder });
      expect(stdout).toBe('succeeded None\n');
      await expectRows();
    });
  },
);
