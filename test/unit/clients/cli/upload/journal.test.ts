import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { Journal } from '../../../../../src/clients/cli/upload/journal.js';

const IDENTITY = { url: 'http://127.0.0.1', family: 'cost', token: 'token', digests: [] } as const;

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'custom-data-test-journal-'));
});
afterEach(() => rm(home, { recursive: true }));

test.each([
  ['the folder of states', (folder: string) => ({ XDG_STATE_HOME: folder }), ''],
  ['the home folder where there is none', (folder: string) => ({ HOME: folder }), '.local/state'],
  [
    'the home folder where it is blank',
    (folder: string) => ({ XDG_STATE_HOME: '', HOME: folder }),
    '.local/state',
  ],
])('the state of an upload is kept below %s', (_, env, below) => {
  const { path } = Journal.open(env(home), IDENTITY, false);
  expect(path.startsWith(join(home, below, 'custom-data', 'uploads'))).toBe(true);
});

test('a part has one key for the same bytes, and another one when it is packed differently', () => {
  const journal = Journal.open({ HOME: home }, IDENTITY, false);
  const keyOf = (bytes: string): string => journal.idempotencyKey('0-part', Buffer.from(bytes));
  expect(keyOf('packed')).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(keyOf('packed')).toBe(keyOf('packed'));
  expect(keyOf('packed by another version')).not.toBe(keyOf('packed'));
  const resumed = Journal.open({ HOME: home }, IDENTITY, true);
  expect(resumed.idempotencyKey('0-part', Buffer.from('packed'))).toBe(keyOf('packed'));
});
