import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { drainPending, Session } from 'chdb';

import { ReadOnlySessions, type Scope } from '../../../src/query/sessions.js';

let folder: string;
let writer: Session;
let sessions: ReadOnlySessions;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'custom-data-sessions-test-'));
  const path = join(folder, 'warehouse');
  writer = new Session(path);
  sessions = new ReadOnlySessions(path, { queryTimeoutMs: 10_000, queryMemoryBytes: 2 ** 30 });
});
afterAll(async () => {
  sessions.close();
  writer.close();
  await drainPending();
  await rm(folder, { recursive: true, force: true });
});

/** Answers with the value and with what tells one session from others. */
async function ask(
  query: string,
  parameters: Readonly<Record<string, string>> = {},
  settings: readonly string[] = [],
): Promise<{ value: string; mark: string }> {
  const scope: Scope = {
    ...{ database: 'system', settings },
    parameters: new Map(Object.entries(parameters)),
  };
  return sessions.use(scope, async ({ engine, mark }) => {
    const result = await engine.queryAsync(query, { format: 'TSV' });
    return { value: result.text().trim(), mark };
  });
}

test('a session is used again for the same settings and names of parameters, with new values', async () => {
  const settings = ['--session_timezone=Asia/Tokyo'];
  const query = 'SELECT {b:UInt8}, timezone(), {a:UInt8}';
  const first = await ask(query, { a: '1', b: '2' }, settings);
  expect(first.value).toBe('2\tAsia/Tokyo\t1');
  const second = await ask(query, { b: '4', a: '3' }, settings);
  expect(second).toEqual({ value: '4\tAsia/Tokyo\t3', mark: first.mark });
});

test('a session is used again after a statement that failed', async () => {
  const { mark } = await ask('SELECT {n:UInt8}', { n: '1' });
  await expect(ask('SELECT throwIf({n:UInt8} = 2)', { n: '2' })).rejects.toThrow('throwIf');
  await expect(ask('SELECT {n:UInt8}', { n: 'x' })).rejects.toThrow('UInt8');
  expect(await ask('SELECT {n:UInt8}', { n: '3' })).toEqual({ value: '3', mark });
});

test('no parameter and no setting passes to another request', async () => {
  await ask('SELECT {p:UInt8}', { p: '1' }, ['--session_timezone=Asia/Tokyo']);
  await expect(ask('SELECT {p:UInt8}', { q: '1' })).rejects.toThrow('`p`');
  await expect(ask('SELECT {p:UInt8}')).rejects.toThrow('`p`');
  const { value } = await ask('SELECT timezone(), {p:UInt8}', { p: '2' });
  expect(value).toBe(`${(await ask('SELECT timezone()')).value}\t2`);
  expect(value).not.toContain('Tokyo');
});

test('a client that has gone ends the binding of its parameters', async () => {
  const scope: Scope = { database: 'system', parameters: new Map([['a', '1']]), settings: [] };
  const run = (): Promise<string> => Promise.resolve('bound');
  expect(await sessions.use(scope, run, new AbortController().signal)).toBe('bound');
  await expect(sessions.use(scope, run, AbortSignal.abort())).rejects.toThrow('aborted');
});

test('a database that is unknown is refused again and again', async () => {
  const scope: Scope = { database: 'absent', parameters: new Map(), settings: [] };
  const use = () => sessions.use(scope, ({ engine }) => engine.queryAsync('SELECT 1'));
  await expect(use()).rejects.toThrow('absent');
  await expect(use()).rejects.toThrow('absent');
});

test('a bounded number of sessions is kept', async () => {
  const marks = async (): Promise<string[]> => {
    const found: string[] = [];
    for (let i = 0; i < 40; i++) found.push((await ask('SELECT 1', { [`p${i}`]: '1' })).mark);
    return found;
  };
  const first = new Set(await marks());
  expect(first.size).toBe(40);
  expect((await marks()).filter((mark) => first.has(mark))).toEqual([]);
  const { mark } = await ask('SELECT 1', { p39: '1' });
  expect((await ask('SELECT 1', { p39: '1' })).mark).toBe(mark);
});
