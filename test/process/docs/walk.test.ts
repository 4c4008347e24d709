import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { csv, goodRow } from '../../support/files/files.js';
import { until } from '../../support/until.js';
import { writingCalls } from '../../support/service/preloads/preload.js';
import {
  makeDataDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';

/** Longer than every timer of an idle service, except those of minutes. */
const IDLE_MS = 11_000;
/** Time for the work that follows the last transition. */
const REST_MS = 3_000;
/** Two thirds of the 101 files that it once was. */
const MOST_FILES = 67;
const ASIDE = /^src\/(?:domain|config|ops)\//;

let dataDir: string;
let folder: string;
let service: ServiceProcess;
/** How often the main thread was asked for its calls. */
let asked = 0;
beforeEach(async () => {
  dataDir = await makeDataDir();
  folder = await mkdtemp(join(tmpdir(), 'custom-data-calls-'));
});
afterEach(async () => {
  await service.stop();
  await removeDataDir(dataDir);
  await rm(folder, { recursive: true });
});

/** Returns the functions that were called since the previous request for them. */
async function calls(): Promise<Set<string>> {
  service.process.kill('SIGUSR2');
  const ofMainThread = join(folder, `0.${asked++}.json`);
  await until(() => existsSync(ofMainThread));
  const written: string[] = [];
  const names = await readdir(folder);
  for (const name of names.filter((each) => each.endsWith('.json'))) {
    written.push(...(JSON.parse(await readFile(join(folder, name), 'utf8')) as string[]));
    await rm(join(folder, name));
  }
  return new Set(written);
}

test('the files that one row passes are those of docs/architecture.md', async () => {
  const token = await tokenFor(dataDir, 'acme');
  service = await ServiceProcess.start(dataDir, writingCalls(folder));
  await calls();
  await sleep(IDLE_MS);
  const idle = await calls();
  const client = new ApiClient(() => service.ports.api, token);
  await client.create('cost', csv([goodRow('cost')]));
  await until(() => service.logs.some(({ msg }) => msg === 'upload succeeded'), 50);
  await sleep(REST_MS);
  const called = [...(await calls())].filter((name) => !idle.has(name));

  const passed = called
    .filter((name) => !name.includes('/node_modules/'))
    .flatMap((name) => /^file:.*\/dist\/(.+)\.js /.exec(name)?.[1] ?? []);
  const files = [...new Set(passed)]
    .map((path) => `src/${path}.ts`)
    .filter((path) => !ASIDE.test(path));
  const page = await readFile(new URL('../../../docs/architecture.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| *\d+ *\| `(src\/[^`]+)`/gm)].map(([, path]) => path!);
  expect(files.sort()).toEqual(listed.sort());
  expect(listed.length).toBeLessThanOrEqual(MOST_FILES);
  expect(page).toContain(`: ${listed.length} files, once 101.`);
});
