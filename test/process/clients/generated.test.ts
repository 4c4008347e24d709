import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { describeIf } from '../../support/machine/describe-if.js';
import { hasPython, PYTHON_SET_UP_MS, pythonWith } from '../../support/machine/python.js';
import { UploadFixture } from './cli/upload/service.js';

/** A Python client that openapi-python-client generates from the service's own API document. */

const run = promisify(execFile);
const here = (name: string): string => fileURLToPath(new URL(`python/${name}`, import.meta.url));
const SAMPLE = fileURLToPath(new URL('../../../docs/samples/cost.csv', import.meta.url));
const NAME = 'openapi-python-client';

describeIf(hasPython(NAME), 'Python 3 is missing')('a generated client', () => {
  let fixture: UploadFixture;
  let folder: string;
  let python: string;

  beforeAll(async () => {
    python = pythonWith(NAME, here('requirements.txt'));
    fixture = await UploadFixture.open();
    folder = await mkdtemp(join(tmpdir(), 'custom-data-generated-'));
    const document = await fetch(`${fixture.url}/docs/openapi.json`);
    await writeFile(join(folder, 'openapi.json'), await document.text());
    const { stdout, stderr } = await run(
      python,
      [
        ...['-m', 'openapi_python_client', 'generate', '--path', 'openapi.json'],
        ...['--output-path', 'generated', '--meta', 'none', '--config', here('config.yaml')],
      ],
      { cwd: folder },
    );
    expect(stdout + stderr).not.toMatch(/warning|error/i);
  }, PYTHON_SET_UP_MS);
  afterAll(async () => {
    await fixture.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('uploads a file and follows it to its end', async () => {
    const args = [here('upload.py'), fixture.url, fixture.token, SAMPLE];
    const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
    expect(await run(python, args, { env })).toEqual({ stdout: 'succeeded\n', stderr: '' });
    const [row] = await fixture.service.query<{ rows: number }>(
      'SELECT count() AS rows FROM cost_rows',
    );
    expect(row!.rows).toBeGreaterThan(0);
  });
});
