import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { adapted, commandsOf, ROOT, sh, stepsOf, TOOL } from '../../support/documents/commands.js';
import { Page, snippet } from '../../support/documents/page.js';
import { until } from '../../support/until.js';
import { describeIf } from '../../support/machine/describe-if.js';
import { ApiClient } from '../../support/service/api-client.js';
import { runs } from '../../support/service/command.js';
import { startedBy } from './started-by.js';

/** The commands of the README, in its order. */

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g;
const [demo, start, createToken] = commandsOf(snippet('../README.md', 'npm start'));

let dataDir: string;
let folder: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'custom-data-readme-'));
  folder = await mkdtemp(join(tmpdir(), 'custom-data-readme-'));
});
afterAll(async () => {
  await rm(dataDir, { recursive: true });
  await rm(folder, { recursive: true });
});

const masked = (text: string): string => text.replace(ID, 'ID').replace(TIME, 'TIME');

test('the demo shows files on their way, whatever service the environment is for', async () => {
  const { stdout } = await sh(demo!, {
    KAFKA_BROKERS: '127.0.0.1:9',
    TOKENS_FILE: '/nowhere/tokens.json',
    LOG_LEVEL: 'silent',
  });
  expect(stdout).toContain('→ succeeded');
  expect(stdout).toContain('The service stopped with exit code 0.');
});

describeIf(runs('curl', ['--version']), 'curl is missing')('the service', () => {
  test('takes the file and answers as the page shows', async () => {
    const { ports, stop } = await startedBy(start!, dataDir);
    try {
      const created = await sh(createToken!, { DATA_DIR: dataDir }, ROOT);
      const url = `http://127.0.0.1:${ports.api}`;
      const env = { TOKEN: created.stdout.trim(), CUSTOM_DATA_URL: url };
      const api = { 'http://127.0.0.1:8080': url };
      const run = async (command: string): Promise<string> =>
        (await sh(command, env, folder)).stdout;

      const [cat, preview, create, read] = stepsOf(snippet('../README.md', 'cat cost.csv'));
      await writeFile(join(folder, 'cost.csv'), cat!.output);
      expect(await run(cat!.command)).toBe(cat!.output);
      const previewOurs = adapted(preview!.command, { 'npx custom-data': TOOL });
      let previewed = '';
      // A running service accepts a new token within a second. Until then the command fails.
      await until(async () => {
        previewed = await run(previewOurs).catch(() => '');
        return previewed !== '';
      }, 100);
      expect(masked(previewed)).toBe(masked(preview!.output));
      let record = await run(adapted(create!.command, api));
      expect(masked(`${record}\n`)).toBe(masked(create!.output));

      const { requestId } = JSON.parse(record) as { requestId: string };
      const readOurs = adapted(read!.command.replace(ID, requestId), api);
      await until(async () => {
        record = await run(readOurs);
        return /"status":"(?:succeeded|failed)"/.test(record);
      });
      expect(masked(`${record}\n`)).toBe(masked(read!.output));

      const [query] = stepsOf(snippet('../README.md', 'FROM cost_report'));
      const warehouse = { 'http://127.0.0.1:8123': `http://127.0.0.1:${ports.query}` };
      expect(await run(adapted(query!.command, warehouse))).toBe(query!.output);

      const client = new ApiClient(() => ports.api, env.TOKEN);
      const wrong = await client.upload('cost', cat!.output.replace('2026-11-02', '2026-13-01'));
      expect(new Page('../README.md').text).toContain(`\`${wrong.reason!}\``);
    } finally {
      await stop();
    }
  });
});
