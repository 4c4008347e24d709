import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createToken, listTokens } from '../../../src/accounts/token-store.js';
import { run } from '../../../src/cli/program.js';
import { logFolder } from '../../../src/config/data-folder.js';
import { timeOfVersion } from '../../../src/domain/version.js';
import { erasureOf } from '../../../src/erasure/account-erasure.js';
import { LmdbLog } from '../../../src/log/lmdb/lmdb-log.js';
import type { LogRecord } from '../../../src/log/upload-log.js';
import { outcomeOf, type Outcome } from '../../helpers/outcome.js';

let DATA_DIR: string;
beforeEach(async () => {
  DATA_DIR = await mkdtemp(join(tmpdir(), 'cli-accounts-'));
});
afterEach(async () => {
  await rm(DATA_DIR, { recursive: true });
});

async function controlRecords(): Promise<LogRecord[]> {
  const dir = logFolder(DATA_DIR);
  const log = LmdbLog.open({ dir, retentionMs: 60_000, timeoutMs: 5_000 });
  try {
    const records: LogRecord[] = [];
    for await (const batch of log.read('control', 0, 0, Infinity)) records.push(...batch);
    return records;
  } finally {
    await log.close();
  }
}

const tokensFile = (): string => join(DATA_DIR, 'tokens.json');
const newToken = (account: string): Promise<{ id: string }> =>
  createToken(tokensFile(), { account, role: 'owner', timeZone: 'UTC' });
const erase = (...args: string[]): Promise<Outcome> =>
  outcomeOf({ DATA_DIR }, 'accounts', 'erase', ...args);

/** As somebody at a terminal who types an answer. */
async function eraseAnswering(answer: string): Promise<{ code: number; err: string }> {
  let err = '';
  const code = await run(['accounts', 'erase', 'acme'], {
    env: { DATA_DIR },
    out: () => undefined,
    hint: (text) => (err += text),
    ask: () => Promise.resolve(answer),
  });
  return { code, err };
}

test('the tokens of the account go at once, and the order is in the log', async () => {
  // The log that a service has made.
  await controlRecords();
  await newToken('acme');
  const { id } = await newToken('other');
  await newToken('acme');
  const before = Date.now();
  const { code, out, err } = await erase('acme', '--yes');
  expect([code, out]).toEqual([0, '']);
  expect(err).toContain('2 tokens of acme deleted');
  expect((await listTokens(tokensFile())).map((token) => token.id)).toEqual([id]);

  const orders = (await controlRecords()).flatMap((record) => erasureOf(record) ?? []);
  expect(orders).toMatchObject([{ account: 'acme', actor: `operator:${userInfo().username}` }]);
  expect(timeOfVersion(orders[0]!.version)).toBeGreaterThanOrEqual(before + 60_000);

  const refused = await outcomeOf(
    { DATA_DIR },
    'tokens',
    'create',
    '--account=acme',
    '--role=owner',
  );
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toContain('acme is being erased');
});

test('it is to be confirmed by the name of the account', async () => {
  await controlRecords();
  await newToken('acme');
  expect(await erase('acme')).toMatchObject({
    code: 1,
    err: 'error: nobody is here to confirm it; see --yes\n',
  });
  expect(await eraseAnswering('yes')).toMatchObject({ code: 1 });
  expect(await listTokens(tokensFile())).toHaveLength(1);
  expect(await controlRecords()).toEqual([]);
  expect(await eraseAnswering('acme')).toMatchObject({ code: 0 });
  expect(await listTokens(tokensFile())).toEqual([]);
  expect(await controlRecords()).toHaveLength(1);
});

test('where gateways read another tokens file, the operator is told', async () => {
  await controlRecords();
  const { code, err } = await erase('acme', '--yes');
  expect([code, err]).toEqual([0, expect.stringContaining('no token of the account')]);
});

test('without a log nothing is erased, and a token leaves no event', async () => {
  await newToken('acme');
  expect(await erase('acme', '--yes')).toMatchObject({ code: 1 });
  expect(await listTokens(tokensFile())).toHaveLength(1);
  const created = await outcomeOf({ DATA_DIR }, 'tokens', 'create', '--account=b', '--role=owner');
  expect(created.code).toBe(0);
  expect(created.err).toContain('the audit will not show this');
});

test('creating and revoking a token beside a log leaves an event of each', async () => {
  await controlRecords();
  await outcomeOf({ DATA_DIR }, 'tokens', 'create', '--account=acme', '--role=owner');
  const [token] = await listTokens(tokensFile());
  await outcomeOf({ DATA_DIR }, 'tokens', 'revoke', token!.id);
  const actor = `operator:${userInfo().username}`;
  const records = await controlRecords();
  expect(records.map(({ headers }) => headers)).toEqual([{ type: 'audit' }, { type: 'audit' }]);
  expect(records.map(({ value }) => JSON.parse(value.toString()) as unknown)).toMatchObject([
    { actor, action: 'create-token', account: 'acme', subject: token!.id },
    { actor, action: 'revoke-token', account: 'acme', subject: token!.id },
  ]);
});

test('a name that is none is not understood', async () => {
  expect(await erase('a b', '--yes')).toMatchObject({ code: 2 });
});
