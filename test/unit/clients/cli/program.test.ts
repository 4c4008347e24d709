import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { jsonLines, outcomeOf } from '../../../support/service/outcome.js';

let DATA_DIR: string;
beforeEach(async () => {
  DATA_DIR = await mkdtemp(join(tmpdir(), 'cli-program-'));
});
afterEach(async () => {
  await rm(DATA_DIR, { recursive: true });
});

test('--version is that of the package', async () => {
  const text = await readFile(new URL('../../../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  expect(await outcomeOf({}, '--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
});

describe('a typing error is told with what was meant', () => {
  test.each([
    [['uplaod', 'x.csv'], "error: unknown command 'uplaod' (Did you mean upload?)\n"],
    [['tokens', 'craete'], "error: unknown command 'craete' (Did you mean create?)\n"],
    [['tokens', 'list', '--jsno'], "error: unknown option '--jsno' (Did you mean --json?)\n"],
  ])('%j', async (args, err) => {
    expect(await outcomeOf({}, ...args)).toEqual({ code: 2, out: '', err });
  });
});

test('--json prints an object a line, wherever it stands', async () => {
  const args = ['--account', 'acme', '--role', 'owner'];
  const created = await outcomeOf({ DATA_DIR }, '--json', 'tokens', 'create', ...args);
  expect(created.code).toBe(0);
  const [token, ...others] = jsonLines(created.out) as { id: string; token: string }[];
  expect(others).toEqual([]);
  expect(token).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{12}$/),
    token: expect.stringMatching(/^cdu_/),
    account: 'acme',
    role: 'owner',
    timeZone: 'UTC',
  });

  await outcomeOf({ DATA_DIR }, 'tokens', 'create', ...args);
  const { out } = await outcomeOf({ DATA_DIR }, 'tokens', 'list', '--json');
  const listed = jsonLines(out);
  expect(listed).toHaveLength(2);
  expect(listed[0]).toEqual({
    id: token!.id,
    account: 'acme',
    role: 'owner',
    timeZone: 'UTC',
    createdAt: expect.stringMatching(/Z$/),
    revokedAt: null,
  });
  expect(out).not.toContain(token!.token);
  expect((await outcomeOf({}, 'validate', '--help')).out).toContain('--annotate');
});

test('a list without items is nothing as JSON', async () => {
  expect(await outcomeOf({ DATA_DIR }, 'tokens', 'list', '--json')).toMatchObject({ out: '' });
});

test('a service that does not answer ends with 3', async () => {
  const env = { CUSTOM_DATA_URL: 'http://127.0.0.1:1', CUSTOM_DATA_TOKEN: 'x' };
  const args = ['status', '01a1fc9e-cb33-7e3f-a132-7ca9a0f9c6bd', '--family', 'cost'];
  const { code, out, err } = await outcomeOf(env, ...args, '--retry-for', '0');
  expect([code, out]).toEqual([3, '']);
  expect(err).toMatch(/^error: 127\.0\.0\.1:1 does not answer: .+\n$/);
});
