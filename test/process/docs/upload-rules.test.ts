import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { type Preview, WARNING_CODES } from '../../../src/preview/answer.js';
import { adapted, commandsOf, ROOT, sh } from '../../support/documents/commands.js';
import { code, Page, snippet, snippets } from '../../support/documents/page.js';
import { fileWith } from '../../support/files/files.js';
import { until } from '../../support/until.js';
import { describeIf } from '../../support/machine/describe-if.js';
import { ApiClient } from '../../support/service/api-client.js';
import { runs } from '../../support/service/command.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';

/** The files that the page uploads, and its calls with curl. */

interface Row {
  readonly date: string;
  readonly ad_group: string;
  readonly impressions: number;
}

let dataDir: string;
let folder: string;
let service: ServiceProcess;
let token: string;
let client: ApiClient;

beforeAll(async () => {
  dataDir = await makeMigratedDir();
  folder = await mkdtemp(join(tmpdir(), 'custom-data-rules-'));
  await copyFile(`${ROOT}docs/samples/cost.csv`, join(folder, 'cost.csv'));
  token = await tokenFor(dataDir, 'acme');
  service = await ServiceProcess.start(dataDir);
  client = new ApiClient(() => service.ports.api, token);
});
afterAll(async () => {
  await service.kill();
  await removeDataDir(dataDir);
  await rm(folder, { recursive: true });
});

test('each file replaces what the page says', async () => {
  const [byAdGroup, byCampaign, deletion, ...others] = snippets('upload-rules.md', 'text');
  expect(others).toEqual([]);
  const stored = async (file: string, view: string): Promise<Row[]> => {
    expect(await client.upload('cost', file)).toMatchObject({ status: 'succeeded' });
    return service.query(`SELECT date, ad_group, impressions FROM ${view} ORDER BY date, ad_group`);
  };
  const third = { date: '2026-03-03', ad_group: 'Readers', impressions: 11_500 };
  expect(await stored(byAdGroup!, 'cost_rows')).toEqual([
    { date: '2026-03-02', ad_group: 'Readers', impressions: 12_000 },
    { date: '2026-03-02', ad_group: 'Subscribers', impressions: 8_000 },
    third,
  ]);
  const second = { date: '2026-03-02', ad_group: '', impressions: 21_000 };
  expect(await stored(byCampaign!, 'cost_rows')).toEqual([second, third]);
  expect(await stored(deletion!, 'cost_report')).toEqual([second]);
});

describeIf(runs('curl', ['--version']), 'curl is missing')('curl', () => {
  const ID_OF_PAGE = '01a1fbe9-8d12-7e37-8444-47b183ed8e35';
  const [createAndRead, wait, sendOnce, previewing, ...others] = snippets('upload-rules.md', 'sh');
  const run = async (block: string, values: Record<string, string> = {}): Promise<string> => {
    const api = { 'http://127.0.0.1:8080': `http://127.0.0.1:${service.ports.api}` };
    const { stdout } = await sh(adapted(block, { ...api, ...values }), { TOKEN: token }, folder);
    return stdout;
  };
  /** The records that calls have printed one after the other. */
  const answersIn = (printed: string): { readonly requestId: string }[] =>
    printed
      .split(/(?<=\})(?=\{)/)
      .map((answer) => JSON.parse(answer) as { readonly requestId: string });

  test('creates and reads', async () => {
    const record = await client.upload('cost', fileWith('cost', {}));
    const printed = await run(createAndRead!, { [ID_OF_PAGE]: record.requestId });
    const [created, read] = answersIn(printed);
    expect(created).toMatchObject({ status: 'uploaded' });
    expect(read).toEqual(record);
    const shown = JSON.parse(snippet('upload-rules.md', '"requestId": "01a1')) as object;
    expect(Object.keys(record)).toEqual(Object.keys(shown));
    const times = { createdAt: expect.any(String), updatedAt: expect.any(String) };
    expect(record).toEqual({ ...shown, requestId: record.requestId, ...times });
  });

  test('waits for a change', async () => {
    const { requestId } = await client.create('cost', fileWith('cost', {}));
    const waited = (): Promise<string> => run(wait!, { [ID_OF_PAGE]: requestId });
    await until(async () => (await waited()).includes('"status":"succeeded"'));
  });

  test('previews a file, and the page has each of its fields and warnings', async () => {
    const { warnings, ...answer } = JSON.parse(await run(previewing!)) as Preview;
    expect(answer).toMatchObject({ valid: true, compared: true });
    const page = new Page('upload-rules.md');
    const fields = page.tableUnder('### Preview').map(([cell]) => code(cell!));
    expect([...fields].sort()).toEqual(Object.keys({ ...answer, warnings }).sort());
    const codes = page.tableUnder('### Warnings').map(([cell]) => code(cell!));
    expect(codes).toEqual(WARNING_CODES);
  });

  test('sends a file twice as one request', async () => {
    expect(others).toEqual([]);
    const idsOf = async (...commands: readonly string[]): Promise<string[]> =>
      answersIn(await run(commands.join('\n'))).map(({ requestId }) => requestId);
    const [key, send, ...rest] = commandsOf(sendOnce!);
    expect([send, rest]).toEqual([expect.stringMatching(/^curl .*\$key/), []]);
    const ids = await idsOf(key!, send!, send!);
    expect(ids).toEqual([ids[0], ids[0]]);
    // The whole block chooses another key.
    expect(await idsOf(sendOnce!)).not.toContain(ids[0]);
  });
});
