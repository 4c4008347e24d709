import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createToken } from '../../../../src/accounts/manage-tokens.js';
import { listTokens } from '../../../../src/accounts/token-records.js';
import { run } from '../../../../src/clients/cli/commands.js';
import { logFolder } from '../../../../src/config/data-folder.js';
import { setAside } from '../../../../src/log/uploads/dead-letter.js';
import { timeOfVersion } from '../../../../src/domain/version.js';
import { erasureOf } from '../../../../src/operator/erasure/account-erasure.js';
import { FormattedLog } from '../../../../src/log/formatted-log.js';
import { LmdbLog, type LmdbLogOptions } from '../../../../src/log/lmdb/lmdb-log.js';
import { type LogRecord, type Topic, TOPICS } from '../../../../src/log/upload-log.js';
import { Collector, record } from '../../../support/log/log-folders.js';
import { jsonLines, outcomeOf, type Outcome } from '../../../support/service/outcome.js';

let DATA_DIR: string;
beforeEach(async () => {
  DATA_DIR = await mkdtemp(join(tmpdir(), 'cli-accounts-'));
});
afterEach(async () => {
  await rm(DATA_DIR, { recursive: true });
});

async function withLog<T>(
  work: (log: FormattedLog, raw: LmdbLog) => Promise<T>,
  options: Partial<LmdbLogOptions> = {},
): Promise<T> {
  const dir = logFolder(DATA_DIR);
  const raw = LmdbLog.open({ dir, retentionMs: 60_000, timeoutMs: 5_000, ...options });
  const log = new FormattedLog(raw);
  try {
    return await work(log, raw);
  } finally {
    await log.close();
  }
}

async function recordsOf(log: FormattedLog, topic: Topic): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const batch of log.read(topic, 0, 0, Infinity)) records.push(...batch);
  return records;
}

const controlRecords = (): Promise<LogRecord[]> => withLog((log) => recordsOf(log, 'control'));

const tokensFile = (): string => join(DATA_DIR, 'tokens.json');
const newToken = (account: string): Promise<{ id: string }> =>
  createToken(tokensFile(), { account, role: 'owner', timeZone: 'UTC' });
const erase = (...args: string[]): Promise<Outcome> =>
  outcomeOf({ DATA_DIR }, 'accounts', 'erase', ...args);

/** Runs the command as a user at a terminal who types `answer`. */
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
  // Creates the log, as a service would.
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

test('as JSON it says how many tokens went, and until when what goes', async () => {
  await controlRecords();
  await newToken('acme');
  const { code, out, err } = await erase('acme', '--yes', '--json');
  expect(code).toBe(0);
  const [order] = (await controlRecords()).flatMap((each) => erasureOf(each) ?? []);
  const [, goneBy] = /the last of these records leaves the log by (\S+),/.exec(err)!;
  expect(jsonLines(out)).toEqual([
    {
      account: 'acme',
      tokens: 1,
      erasedUntil: new Date(timeOfVersion(order!.version)).toISOString(),
      goneFromLogAt: goneBy,
    },
  ]);
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

test('it says by when the log has let go of the last record', async () => {
  const HOUR = 3_600_000;
  const retentionMs = 24 * HOUR;
  await controlRecords();
  const outcome = await outcomeOf(
    { DATA_DIR, LOG_RETENTION_HOURS: '24' },
    ...['accounts', 'erase', 'acme', '--yes'],
  );
  const [, goneBy] = /the last of these records leaves the log by (\S+),/.exec(outcome.err)!;
  const orders = (await controlRecords()).flatMap((each) => erasureOf(each) ?? []);
  const lastUploadAt = timeOfVersion(orders[0]!.version);
  const fill = async (log: FormattedLog): Promise<void> => {
    for (const topic of TOPICS) {
      const consumption = await log.consume(topic, 'group', new Collector());
      await log.append(topic, [record('of acme')]);
      await consumption.commit(0, (await log.endOffsets(topic))[0]!);
    }
  };
  await withLog(fill, { retentionMs, now: () => lastUploadAt });
  const keptAt = (time: number): Promise<number> =>
    withLog(
      async (log, raw) => {
        await raw.deleteExpired();
        return (await Promise.all(TOPICS.map((topic) => recordsOf(log, topic)))).flat().length;
      },
      { retentionMs, now: () => time },
    );
  expect(await keptAt(Date.parse(goneBy!) - 2 * HOUR)).toBeGreaterThanOrEqual(TOPICS.length);
  expect(await keptAt(Date.parse(goneBy!))).toBe(0);
});

test('what was set aside of the account is neither listed nor brought back', async () => {
  const end = { chunks: 0, bytes: 0, firstOffset: null, acceptedAt: 1, version: '7' };
  const rules = { finding: null, requestDay: 3, integratedChannels: [] };
  await withLog(async (log) => {
    for (const account of ['acme', 'other']) {
      await setAside(
        log,
        {
          requestId: `of-${account}`,
          account,
          family: 'cost',
          end: { ...end, ...rules },
          partition: 0,
          endOffset: 0,
        },
        { kind: 'crash', deaths: 3 },
      );
    }
  });
  const deadLetter = (...args: string[]): Promise<Outcome> =>
    outcomeOf({ DATA_DIR }, 'dead-letter', ...args);
  expect((await deadLetter('list')).out).toContain('of-acme');
  await erase('acme', '--yes');
  const { out } = await deadLetter('list');
  expect(out).toContain('of-other');
  expect(out).not.toContain('acme');
  expect(await deadLetter('retry', 'of-acme')).toEqual({
    code: 1,
    out: '',
    err: 'error: no upload of-acme was set aside\n',
  });
  expect((await deadLetter('retry', 'of-other')).code).toBe(0);
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
  expect(records.map(({ headers }) => headers['type'])).toEqual(['audit', 'audit']);
  expect(records.map(({ value }) => JSON.parse(value.toString()) as unknown)).toMatchObject([
    { actor, action: 'create-token', account: 'acme', subject: token!.id },
    { actor, action: 'revoke-token', account: 'acme', subject: token!.id },
  ]);
});

test('a name that is none is not understood', async () => {
  expect(await erase('a b', '--yes')).toMatchObject({ code: 2 });
});
