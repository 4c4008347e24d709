import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { adapted, commandsOf, sh, TOOL } from '../../support/documents/commands.js';
import { snippet } from '../../support/documents/page.js';
import { fileWith } from '../../support/files/files.js';
import { until } from '../../support/until.js';
import { describeIf } from '../../support/machine/describe-if.js';
import { ApiClient } from '../../support/service/api-client.js';
import { run, runs } from '../../support/service/command.js';
import { Deployment } from '../../support/service/deployment.js';
import { unpreparable } from '../../support/service/preloads/preload.js';
import { makeDataDir, removeDataDir, tokenFor } from '../../support/service/service-process.js';
import { startedBy } from './started-by.js';

/** The commands of the pages for operators, on one embedded service, the erasure last. */

const BEGUN = new Date().toISOString();
const REQUEST = '01a1fbe9-8d12-7e37-8444-47b183ed8e35';
const TIME = '2026-11-21T08:00:00Z';

let deployment: Deployment;
let client: ApiClient;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'custom-data-operations-'));
  deployment = await Deployment.open({ log: 'lmdb', warehouse: 'chdb' });
  const token = await tokenFor(deployment.dataDir, 'acme');
  client = new ApiClient(() => deployment.service.ports.api, token);
  await deployment.start(unpreparable('throwing', 'ending'));
});
afterAll(async () => {
  await deployment.close();
  await rm(folder, { recursive: true });
});

const customData = (command: string, values: Record<string, string> = {}): ReturnType<typeof sh> =>
  sh(adapted(command, { 'npx custom-data': TOOL, ...values }), deployment.toolEnv, folder);

test.each(commandsOf(snippet('operations.md', 'UV_THREADPOOL_SIZE=16')))('%s', async (command) => {
  const dataDir = await makeDataDir();
  const { ports, stop } = await startedBy(command, dataDir);
  try {
    const { status } = await fetch(`http://127.0.0.1:${ports.ops}/health/ready`);
    expect(status).toBe(200);
  } finally {
    await stop();
    await removeDataDir(dataDir);
  }
});

test('tokens', async () => {
  const [create, list, revoke] = commandsOf(snippet('operations.md', 'tokens revoke'));
  const created = await customData(create!);
  expect(created.stdout).toMatch(/^cdu_\S+\n$/);
  const id = /^token ([0-9a-f]{12}) for acme;/m.exec(created.stderr)![1]!;
  const lineOf = async (): Promise<string | undefined> =>
    (await customData(list!)).stdout.split('\n').find((line) => line.startsWith(id));
  expect(await lineOf()).toMatch(/ acme +owner +Asia\/Seoul .* -$/);
  await customData(revoke!, { '8905a3b39fdd': id });
  expect(await lineOf()).not.toMatch(/ -$/);
});

test('a token before there are brokers, as on the page about Kubernetes', async () => {
  const command = adapted(snippet('kubernetes.md', 'tokens create'), { 'npx custom-data': TOOL });
  expect((await sh(command, {}, folder)).stdout).toMatch(/^cdu_\S+\n$/);
  expect(await readFile(join(folder, 'tokens.json'), 'utf8')).toContain('"acme"');
});

test('metrics', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const file = fileWith('self-serve', { date: today, event_category: 'OldScore' });
  expect(await client.upload('self-serve', file)).toMatchObject({ status: 'succeeded' });
  const [list, archive, restore] = commandsOf(snippet('operations.md', 'metrics restore'));
  const listed = async (isArchived: boolean): Promise<string> => {
    const sql = `SELECT 1 FROM metrics WHERE name = 'OldScore' AND archived = ${isArchived}`;
    await until(async () => (await deployment.query(sql)).length === 1, 50);
    return (await customData(list!)).stdout;
  };
  expect(await listed(false)).toMatch(/^acme +OldScore .* -$/m);
  await customData(archive!);
  expect(await listed(true)).toMatch(/^acme +OldScore .* yes$/m);
  await customData(restore!);
  expect(await listed(false)).toMatch(/^acme +OldScore .* -$/m);
});

test('an upload that was set aside', async () => {
  const [list, retry] = commandsOf(snippet('operations.md', 'dead-letter retry'));
  const failed = await client.upload('cost', fileWith('cost', { campaign: 'throwing' }));
  expect(failed.status).toBe('failed');
  expect((await customData(list!)).stdout).toContain(failed.requestId);
  // The cause is fixed.
  expect(await deployment.service.stop()).toBe(0);
  await deployment.start();
  const { stdout } = await customData(retry!, { REQUEST_ID: failed.requestId });
  expect(await client.finished('cost', stdout.trim())).toMatchObject({ status: 'succeeded' });
});

test('an upload that was replaced by a wrong one, and the audit of it', async () => {
  const upload = (clicks: string) =>
    client.upload('cost', fileWith('cost', { campaign: 'replay', clicks }));
  const { requestId } = await upload('1');
  await upload('2');
  const again = await customData(snippet('operations.md', 'replay --request'), {
    [REQUEST]: requestId,
  });
  expect(await client.finished('cost', again.stdout.trim())).toMatchObject({ status: 'succeeded' });
  const clicks = await deployment.query("SELECT clicks FROM cost_rows WHERE campaign = 'replay'");
  expect(clicks).toEqual([{ clicks: 1 }]);

  const audit = snippet('operations.md', 'custom-data audit');
  const told = new RegExp(`operator:\\S+ +replay-request +acme +${requestId}\n`);
  await until(async () => told.test((await customData(audit, { [TIME]: BEGUN })).stdout));
});

test('the log line about an upload', () => {
  const shown = JSON.parse(snippet('operations.md', '"msg": "create"')) as object;
  const logged = deployment.service.logs.find(({ msg }) => msg === 'create')!;
  const kinds = (line: object): unknown[] =>
    Object.entries(line).map(([name, value]) => [name, typeof value]);
  expect(kinds(logged)).toEqual(kinds(shown));
  expect(logged).toMatchObject({ level: 'info', account: 'acme', outcome: 'accepted' });
});

describeIf(runs('script', ['--version']), 'script is missing, which has a terminal')(
  'erase',
  () => {
    test('asks for the name, or does not', async () => {
      const [asking, sure] = commandsOf(snippet('operations.md', 'accounts erase'));
      const { toolEnv } = deployment;
      const inTerminal = (answer: string): string =>
        run('script', ['-qec', adapted(asking!, { 'npx custom-data': TOOL }), '/dev/null'], {
          input: `${answer}\n`,
          env: { PATH: process.env['PATH'], SHELL: '/bin/sh', ...toolEnv },
        });
      expect(() => inTerminal('another')).toThrow();
      expect(inTerminal('acme')).toContain("Type the account's name");
      await until(async () => (await deployment.query('SELECT 1 FROM cost_rows')).length === 0);
      expect((await customData(sure!)).stderr).toContain('0 tokens of acme deleted');
    });
  },
);
