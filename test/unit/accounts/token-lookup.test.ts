import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pino, type Logger } from 'pino';
import { TokenFile, hashOfToken } from '../../../src/accounts/token-lookup.js';
import { createToken, revokeToken } from '../../../src/accounts/manage-tokens.js';

let folder: string;
let path: string;
let lines: string[];
let logger: Logger;
const open: TokenFile[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tokens-'));
  path = join(folder, 'tokens.json');
  lines = [];
  logger = pino({}, { write: (line: string) => void lines.push(line) });
});

afterEach(async () => {
  for (const file of open.splice(0)) file.stop();
  await rm(folder, { recursive: true });
});

async function openFile(): Promise<TokenFile> {
  const file = await TokenFile.open(path, logger);
  open.push(file);
  return file;
}

/** Waits for a change, for longer than it may take. */
async function within(condition: () => boolean): Promise<void> {
  const giveUpAt = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > giveUpAt) throw new Error('did not happen');
    await sleep(10);
  }
}

const acme = { account: 'acme', role: 'owner', timeZone: 'Asia/Seoul' } as const;

test('the holder of a token is found by the token alone', async () => {
  const { id, token } = await createToken(path, acme);
  const file = await openFile();
  expect(file.holderOf(token)).toEqual({ tokenId: id, ...acme });
  expect(file.holderOf(`${token}x`)).toBeUndefined();
  expect(file.holderOf('')).toBeUndefined();
  expect(file.holderOf(id)).toBeUndefined();
  expect(file.holderOf(hashOfToken(token))).toBeUndefined();
});

test('no file means no tokens, until there is one', async () => {
  const file = await openFile();
  expect(file.holderOf('cdu_x')).toBeUndefined();
  const { token } = await createToken(path, acme);
  await within(() => file.holderOf(token) !== undefined);
  await rm(path);
  await within(() => file.holderOf(token) === undefined);
  expect(lines).toEqual([]);
});

test('a token that is created or revoked counts within a second', async () => {
  const first = await createToken(path, acme);
  const file = await openFile();
  const took: number[] = [];
  const measure = async (isThere: () => boolean): Promise<void> => {
    const from = performance.now();
    await within(isThere);
    took.push(performance.now() - from);
  };
  const second = await createToken(path, { ...acme, account: 'globex' });
  await measure(() => file.holderOf(second.token)?.account === 'globex');
  await revokeToken(path, first.id);
  await measure(() => file.holderOf(first.token) === undefined);
  expect(file.holderOf(second.token)).toBeDefined();
  await revokeToken(path, second.id);
  await measure(() => file.holderOf(second.token) === undefined);
  // The median: a busy machine may hold one of them up.
  expect(took.sort((a, b) => a - b)[1]).toBeLessThan(1_000);
});

test('half a file changes nothing and is told once, without its content', async () => {
  const { token } = await createToken(path, acme);
  const file = await openFile();
  await appendFile(path, '{"tokens": [{"sha256": "5ec2e7');
  await within(() => lines.length > 0);
  await sleep(700);
  expect(file.holderOf(token)).toBeDefined();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(path);
  expect(lines[0]).not.toContain('5ec2e7');

  await writeFile(`${path}.new`, '{"tokens": []}');
  await rename(`${path}.new`, path);
  await within(() => file.holderOf(token) === undefined);
});

describe('a file that cannot be used stops the start', () => {
  const record = {
    id: 'a1',
    sha256: hashOfToken('cdu_a'),
    account: 'acme',
    role: 'owner',
    timeZone: 'UTC',
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  test.each([
    ['half of it', '{"tokens": [', 'not JSON'],
    ['a list', '[]', 'not an object'],
    ['no list', '{}', 'tokens is missing or invalid'],
    ['a string for a token', JSON.stringify({ tokens: ['x'] }), 'tokens.0'],
    ['a role of no one', of({ ...record, role: 'king' }), 'tokens.0.role'],
    ['a zone of nowhere', of({ ...record, timeZone: 'Asia/Atlantis' }), 'tokens.0.timeZone'],
    ['an offset for a zone', of({ ...record, timeZone: '+09:00' }), 'tokens.0.timeZone'],
    ['a token for its hash', of({ ...record, sha256: 'cdu_a' }), 'tokens.0.sha256'],
    ['no account', of({ ...record, account: undefined }), 'tokens.0.account'],
    ['one token twice', of(record, record), 'the same id'],
    ['one hash twice', of(record, { ...record, id: 'b2' }), 'the same sha256'],
  ])('%s', async (_, content, message) => {
    await writeFile(path, content);
    await expect(TokenFile.open(path, logger)).rejects.toThrow(message);
  });

  test('but not one that leaves out what is optional', async () => {
    await writeFile(path, of(record));
    const file = await openFile();
    expect(file.holderOf('cdu_a')).toMatchObject({ tokenId: 'a1', account: 'acme' });
  });

  function of(...tokens: unknown[]): string {
    return JSON.stringify({ tokens });
  }
});
