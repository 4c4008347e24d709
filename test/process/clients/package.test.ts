import { execFile } from 'node:child_process';
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { Page } from '../../support/documents/page.js';
import { run as runNow } from '../../support/service/command.js';
import { COST, csvOf } from '../../support/model/warehouse-model.js';
import { UploadFixture } from './cli/upload/service.js';

/** The package for upload clients, installed by each Node version as its users do. */

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MOST_BYTES = 2_000_000;
const INSTALL_MS = 240_000;
const VERSIONS = ['20', '24'];

let fixture: UploadFixture;
let folder: string;

beforeAll(async () => {
  fixture = await UploadFixture.open();
  folder = await mkdtemp(join(tmpdir(), 'custom-data-package-'));
  const packed = await run('npm', ['run', '--silent', 'pack:client', '--', folder], { cwd: ROOT });
  const file = packed.stdout.trim().split('\n').at(-1)!;
  const npm = await realpath(runNow('sh', ['-c', 'command -v npm']).trim());
  await Promise.all(VERSIONS.map((major) => install(file, major, npm)));
}, INSTALL_MS);
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});

/** The program of a Node version. */
function nodeOf(major: string): string {
  const script = join(ROOT, 'scripts/node-of.mjs');
  return join(runNow(process.execPath, [script, major]).trim(), 'node');
}

/** The folder into which a Node version installs the package. */
function appOf(major: string): string {
  return join(folder, `app-${major}`);
}

/** @param npm the JavaScript file of npm, which this Node version runs */
async function install(file: string, major: string, npm: string): Promise<void> {
  const program = nodeOf(major);
  const PATH = [dirname(program), process.env['PATH']].join(delimiter);
  const options = { cwd: appOf(major), env: { ...process.env, PATH } };
  await mkdir(options.cwd);
  await writeFile(join(options.cwd, 'package.json'), '{}');
  const versions = await run(program, [npm, 'version', '--json'], options);
  expect(JSON.parse(versions.stdout)).toMatchObject({
    node: expect.stringMatching(`^${major}\\.`),
  });
  await run(program, [npm, 'install', '--no-audit', '--no-fund', file], options);
}

async function bytesIn(path: string): Promise<number> {
  const entry = await lstat(path);
  if (!entry.isDirectory()) return entry.size;
  let bytes = 0;
  for (const name of await readdir(path)) bytes += await bytesIn(join(path, name));
  return bytes;
}

test.each(VERSIONS)('installed by Node %s it is as small as the page says', async (major) => {
  const { text } = new Page('upload-clients.md');
  const [, megabytes] = /needs two more\s+packages and takes (\d+) MB in all/.exec(text)!;
  expect(Number(megabytes) * 1_000_000).toBeLessThanOrEqual(MOST_BYTES);
  const modules = join(appOf(major), 'node_modules');
  const names = await readdir(modules, { recursive: true });
  const packages = names.filter((name) => /^(?:@[^/]+\/)?[^/@.]+\/package\.json$/.test(name));
  expect(packages).toHaveLength(3);
  expect(await bytesIn(modules)).toBeLessThanOrEqual(Number(megabytes) * 1_000_000);
});

test('its pages link to pages that it has', async () => {
  const folder = join(appOf(VERSIONS[0]!), 'node_modules', 'custom-data-upload');
  for (const name of ['README.md', 'upload-rules.md']) {
    const text = await readFile(join(folder, name), 'utf8');
    const links = [...text.matchAll(/\]\((?!https:|#)([^)#]+)/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) await lstat(join(folder, link));
  }
});

test.each(VERSIONS)(
  'on Node %s its command and its client upload',
  async (major) => {
    const name = `Node ${major}`;
    const program = nodeOf(major);
    const modules = join(appOf(major), 'node_modules');
    const env = {
      CUSTOM_DATA_URL: fixture.url,
      CUSTOM_DATA_TOKEN: fixture.token,
      XDG_STATE_HOME: fixture.stateHome,
    };
    const file = await fixture.file(
      'package.csv',
      csvOf(COST, [
        {
          date: '2026-02-03',
          channel: 'news',
          currency: 'EUR',
          campaign: name,
          impressions: '1',
          clicks: '1',
          cost: '1',
        },
      ]),
    );
    const command = await realpath(join(modules, '.bin', 'custom-data'));
    const { stdout } = await run(program, [command, 'upload', file, '--family', 'cost'], { env });
    expect(stdout).toMatch(/package\.csv: 1 rows in 1 request: 1 succeeded\n$/);

    const script = `
      import { readFile } from 'node:fs/promises';
      import { UploadClient } from 'custom-data-upload/client';
      const { CUSTOM_DATA_URL: baseUrl, CUSTOM_DATA_TOKEN: token } = process.env;
      const client = new UploadClient({ baseUrl, token });
      const { requestId } = await client.create('cost', await readFile(${JSON.stringify(file)}));
      console.log((await client.finished('cost', requestId)).status);`;
    const api = await run(program, ['--input-type=module', '-e', script], {
      env,
      cwd: appOf(major),
    });
    expect(api.stdout).toBe('succeeded\n');
    const [row] = await fixture.service.query<{ rows: number }>(
      `SELECT count() AS rows FROM cost_rows WHERE campaign = '${name}'`,
    );
    expect(row!.rows).toBe(1);
  },
  INSTALL_MS,
);
