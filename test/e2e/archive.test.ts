import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { ApiClient } from '../helpers/api-client.js';
import {
  makeDataDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../helpers/service-process.js';

/** Archiving a metric from a second process, while the embedded service runs. */

const TOOL = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const APPLY_MS = 20_000;

let dataDir: string;
let service: ServiceProcess;
let client: ApiClient;

beforeAll(async () => {
  dataDir = await makeDataDir();
  const token = await tokenFor(dataDir, 'acme');
  service = await ServiceProcess.start(dataDir);
  client = new ApiClient(() => service.ports.api, token);
});
afterAll(async () => {
  await service.kill();
  await removeDataDir(dataDir);
});

async function customData(...args: string[]): Promise<string> {
  const env = {
    ...process.env,
    DATA_DIR: dataDir,
    HTTP_PORT: '0',
    OPS_PORT: '0',
    QUERY_PORT: String(service.ports.query),
  };
  const { stdout } = await promisify(execFile)(process.execPath, [TOOL, ...args], { env });
  return stdout;
}

const upload = async (): Promise<void> => {
  const today = new Date().toISOString().slice(0, 10);
  const rows = `${today},news,Visits,5\n${today},news,Orders,2\n`;
  const file = `date,channel,event_category,event_value\n${rows}`;
  expect(await client.upload('self-serve', file)).toMatchObject({ status: 'succeeded' });
};

async function expectReported(names: readonly string[]): Promise<void> {
  const until = Date.now() + APPLY_MS;
  for (;;) {
    const rows = await service.query<{ event_category: string }>(
      'SELECT event_category FROM self_serve_report ORDER BY event_category',
    );
    const reported = rows.map((row) => row.event_category);
    if (reported.length === names.length || Date.now() > until) {
      expect(reported).toEqual(names);
      return;
    }
    await sleep(100);
  }
}

test('an archived metric leaves the reports, its rows stay, and restoring brings it back', async () => {
  await upload();
  await expectReported(['Orders', 'Visits']);

  await customData('metrics', 'archive', 'Visits', '--account', 'acme');
  await expectReported(['Orders']);
  expect(await service.query('SELECT count() AS rows FROM self_serve_rows')).toEqual([{ rows: 2 }]);
  expect(await customData('metrics', 'list', '--account', 'acme')).toMatch(/Visits .* yes/);

  // A new upload of the metric does not bring it back by itself.
  await upload();
  await expectReported(['Orders']);

  await customData('metrics', 'restore', 'Visits', '--account', 'acme');
  await expectReported(['Orders', 'Visits']);
  expect(await customData('metrics', 'list', '--account', 'acme')).not.toMatch(/ yes/);
});
