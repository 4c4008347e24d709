import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { TokenFile } from '../../../../src/accounts/token-lookup.js';
import { createLogger } from '../../../../src/ops/logger.js';
import { outcomeOf, type Outcome } from '../../../support/service/outcome.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-tokens-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const tokens = (...args: string[]): Promise<Outcome> =>
  outcomeOf({ DATA_DIR: folder }, 'tokens', ...args);

const create = (...args: string[]): Promise<Outcome> =>
  tokens('create', '--account', 'acme', '--role', 'owner', ...args);

test('create prints the token alone, and the service accepts it', async () => {
  const { code, out, err } = await create('--time-zone', 'Asia/Seoul');
  expect(code).toBe(0);
  expect(out).toMatch(/^cdu_[A-Za-z0-9_-]{43}\n$/);
  expect(err).not.toContain(out.trim());
  const file = await TokenFile.open(join(folder, 'tokens.json'), createLogger('silent'));
  expect(file.holderOf(out.trim())).toMatchObject({
    account: 'acme',
    role: 'owner',
    timeZone: 'Asia/Seoul',
  });
  file.stop();
});

test('TOKENS_FILE says where tokens are', async () => {
  const path = join(folder, 'elsewhere', 't.json');
  await outcomeOf({ TOKENS_FILE: path }, 'tokens', 'create', '--account=a', '--role=owner');
  expect(await readFile(path, 'utf8')).toContain('"account": "a"');
});

test('a token that may not upload is created with a word of warning', async () => {
  const { code, err } = await tokens('create', '--account', 'acme', '--role', 'viewer');
  expect(code).toBe(0);
  expect(err).toContain('the role viewer may not upload; owner and in_house_marketer may');
});

test('list shows what revoke takes', async () => {
  expect((await tokens('list')).out).toBe('ID  ACCOUNT  ROLE  TIME ZONE  CREATED  REVOKED\n');
  const { out: token } = await create();
  const before = await tokens('list');
  const row = before.out.split('\n')[1] ?? '';
  expect(row).toMatch(/^[0-9a-f]{12} {2}acme +owner +UTC +\S+Z +-$/);
  expect(before.out).not.toContain(token.trim());

  const revocation = await tokens('revoke', row.slice(0, 12));
  expect([revocation.code, revocation.out]).toEqual([0, '']);
  expect((await tokens('list')).out.split('\n')[1]).toMatch(/Z +\S+Z$/);
});

test('revoking a token by itself is refused without repeating it', async () => {
  const { out: token } = await create();
  const { code, err } = await tokens('revoke', token.trim());
  expect(code).toBe(1);
  expect(err).toContain('no token has this id');
  expect(err).not.toContain(token.trim());
});

describe('a command that is not understood ends with 2 and one line', () => {
  test.each([
    [['create', '--role', 'owner'], "'--account <name>' not specified"],
    [['create', '--account', 'acme'], "'--role <role>' not specified"],
    [['create', '--account', 'acme', '--role', 'king'], "'--role <role>' argument 'king'"],
    [['create', '--account', 'a b', '--role', 'owner'], "'--account <name>' argument 'a b'"],
    [
      ['create', '--account', 'acme', '--role', 'owner', '--time-zone', 'Asia/Atlantis'],
      "'--time-zone <zone>' argument 'Asia/Atlantis'",
    ],
    [['list', '--acount', 'acme'], "unknown option '--acount'"],
    [['revoke'], "missing required argument 'id'"],
    [['remove'], "unknown command 'remove'"],
  ])('%j', async (args, message) => {
    const { code, out, err } = await tokens(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  test('an environment that is not understood, likewise', async () => {
    const { code, err } = await outcomeOf({ HTTP_PORT: 'x' }, 'tokens', 'list');
    expect([code, err]).toEqual([
      2,
      'error: HTTP_PORT: "x" is not a whole number from 0 to 65535\n',
    ]);
  });
});

test('a tokens file that cannot be used ends with 1 and one line', async () => {
  await writeFile(join(folder, 'tokens.json'), 'x');
  const { code, err } = await tokens('list');
  expect(code).toBe(1);
  expect(err).toBe(
    `error: the tokens file ${join(folder, 'tokens.json')} cannot be used: it is not JSON\n`,
  );
});

test('help is no error; no command at all is', async () => {
  const help = await outcomeOf({}, '--help');
  expect([help.code, help.err]).toEqual([0, '']);
  expect(help.out).toContain('tokens');
  expect((await outcomeOf({}, 'help', 'tokens')).code).toBe(0);
  expect((await outcomeOf({}, 'tokens', 'create', '--help')).out).toContain('--time-zone');
  const nothing = await outcomeOf({});
  expect([nothing.code, nothing.out]).toEqual([2, '']);
  expect(nothing.err).toContain('tokens');
});
