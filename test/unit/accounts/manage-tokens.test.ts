import {
  chmod,
  chown,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { withFileLock } from '../../../src/accounts/file-lock.js';
import { createToken, removeTokensOf, revokeToken } from '../../../src/accounts/manage-tokens.js';
import { listTokens } from '../../../src/accounts/token-records.js';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manage-tokens-'));
  path = join(folder, 'data', 'tokens.json');
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const acme = { account: 'acme', role: 'owner', timeZone: 'UTC' } as const;

test('a token is 256 random bits that are stored nowhere', async () => {
  const { token } = await createToken(path, acme);
  expect(token).toMatch(/^cdu_[A-Za-z0-9_-]{43}$/);
  expect(await readFile(path, 'utf8')).not.toContain(token.slice(4, 20));
  expect((await createToken(path, acme)).token).not.toBe(token);
});

test('the file is for its owner alone, and nothing else is left behind', async () => {
  await createToken(path, acme);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, 'data'))).toEqual(['tokens.json']);
});

test('a link to the file stays one', async () => {
  await createToken(path, acme);
  const target = join(folder, 'real.json');
  await rename(path, target);
  await symlink(target, path);
  await createToken(path, acme);
  expect((await lstat(path)).isSymbolicLink()).toBe(true);
  expect(await listTokens(target)).toHaveLength(2);
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('the file stays readable for the user and the group of the service', async () => {
  await createToken(path, acme);
  await chown(path, 1234, 5678);
  await chmod(path, 0o640);
  const { id } = await createToken(path, acme);
  await revokeToken(path, id);
  const { uid, gid, mode } = await stat(path);
  expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 1234, gid: 5678, mode: 0o640 });
});

asRoot('a file that would get another owner is not installed', async () => {
  await createToken(path, acme);
  await chown(path, 1234, 5678);
  const before = await readFile(path, 'utf8');
  await chmod(folder, 0o777);
  await chmod(join(folder, 'data'), 0o777);
  await chmod(path, 0o644);
  process.setegid?.(4321);
  process.seteuid?.(4321);
  try {
    await expect(createToken(path, acme)).rejects.toThrow('EPERM');
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
  expect(await readFile(path, 'utf8')).toBe(before);
  expect(await readdir(join(folder, 'data'))).toEqual(['tokens.json']);
});

test('tokens are listed in the order of their creation', async () => {
  expect(await listTokens(path)).toEqual([]);
  const at = new Date('2026-03-01T10:00:00Z');
  const first = await createToken(path, acme, at);
  const second = await createToken(path, { ...acme, role: 'viewer' });
  const listed = await listTokens(path);
  expect(listed.map(({ id }) => id)).toEqual([first.id, second.id]);
  expect(listed[0]).toMatchObject({ ...acme, createdAt: at.toISOString(), revokedAt: null });
});

test('a revoked token stays listed with the time of its first revocation', async () => {
  const { id } = await createToken(path, acme);
  const at = new Date('2026-03-01T10:00:00Z');
  expect((await revokeToken(path, id, at))?.revokedAt).toBe(at.toISOString());
  expect((await revokeToken(path, id))?.revokedAt).toBe(at.toISOString());
  expect(await listTokens(path)).toMatchObject([{ id, revokedAt: at.toISOString() }]);
});

test('to revoke a token that is not there, nothing is written', async () => {
  expect(await revokeToken(path, 'nobody')).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
  await createToken(path, acme);
  const { ino } = await stat(path);
  expect(await revokeToken(path, 'nobody')).toBeUndefined();
  expect((await stat(path)).ino).toBe(ino);
});

test('to remove the tokens of an account that has none, nothing is written', async () => {
  expect(await removeTokensOf(path, 'acme')).toBe(0);
  expect(await readdir(folder)).toEqual([]);
  await createToken(path, { ...acme, account: 'other' });
  const { ino } = await stat(path);
  expect(await removeTokensOf(path, 'acme')).toBe(0);
  expect((await stat(path)).ino).toBe(ino);
  expect(await removeTokensOf(path, 'other')).toBe(1);
  expect(await listTokens(path)).toEqual([]);
});

test('changes at the same time are all kept', async () => {
  const created = await Promise.all(Array.from({ length: 20 }, () => createToken(path, acme)));
  const listed = (await listTokens(path)).map(({ id }) => id);
  expect(listed.sort()).toEqual(created.map(({ id }) => id).sort());
});

test('the lock of a process that has ended is taken over, by one of many', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  await createToken(path, acme);
  await writeFile(`${path}.lock`, JSON.stringify({ host: hostname(), pid, nonce: 'n' }));
  await Promise.all(Array.from({ length: 10 }, () => createToken(path, acme)));
  expect(await listTokens(path)).toHaveLength(11);
  expect(await readdir(join(folder, 'data'))).toEqual(['tokens.json']);
});

test('the lock of a process that runs is waited for', async () => {
  const lock = JSON.stringify({ host: hostname(), pid: process.pid, nonce: 'n' });
  await createToken(path, acme);
  await writeFile(`${path}.lock`, lock);
  let done = false;
  const creation = createToken(path, acme).then(() => (done = true));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(done).toBe(false);
  await rm(`${path}.lock`);
  await creation;
});

test('a lock without its content, as a machine without power leaves it, is taken over', async () => {
  await createToken(path, acme);
  await writeFile(`${path}.lock`, '');
  const before = new Date(Date.now() - 60_000);
  await utimes(`${path}.lock`, before, before);
  await createToken(path, acme);
  expect(await readdir(join(folder, 'data'))).toEqual(['tokens.json']);
});

test('the lock of a process whose id another one has by now is taken over', async () => {
  await createToken(path, acme);
  const { pid } = process;
  await writeFile(
    `${path}.lock`,
    JSON.stringify({ host: hostname(), pid, started: '1', nonce: 'n' }),
  );
  await createToken(path, acme);
  expect(await readdir(join(folder, 'data'))).toEqual(['tokens.json']);
});

test('so is it when that process is of another user', async () => {
  await createToken(path, acme);
  await writeFile(
    `${path}.lock`,
    JSON.stringify({ host: hostname(), pid: process.pid, started: '1', nonce: 'n' }),
  );
  const kill = jest.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  });
  try {
    await withFileLock(path, () => Promise.resolve());
  } finally {
    kill.mockRestore();
  }
  expect(await readdir(join(folder, 'data'))).toEqual(['tokens.json']);
});

test('a lock is taken over by one at a time, unless that one has ended meanwhile', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const guard = `${path}.lock.taking`;
  await createToken(path, acme);
  await writeFile(`${path}.lock`, JSON.stringify({ host: hostname(), pid, nonce: 'n' }));
  await writeFile(guard, '');
  let done = false;
  const creation = createToken(path, acme).then(() => (done = true));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(done).toBe(false);
  const before = new Date(Date.now() - 60_000);
  await utimes(guard, before, before);
  await creation;
  expect(await readdir(join(folder, 'data'))).toEqual(['tokens.json']);
});

test('the lock of another is not removed at the end', async () => {
  await createToken(path, acme);
  await withFileLock(path, () => writeFile(`${path}.lock`, 'of another'));
  expect(await readFile(`${path}.lock`, 'utf8')).toBe('of another');
});

test('a file that cannot be used is not overwritten', async () => {
  await createToken(path, acme);
  await writeFile(path, '{"tokens": [');
  await expect(createToken(path, acme)).rejects.toThrow(`the tokens file ${path} cannot be used`);
  expect(await readFile(path, 'utf8')).toBe('{"tokens": [');
  expect(await readdir(join(folder, 'data'))).toEqual(['tokens.json']);
});
