import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { UploadClient } from '../../../../src/clients/api/index.js';
import { fileWith } from '../../../support/files/files.js';
import { outcomeOf } from '../../../support/service/outcome.js';
import { UploadFixture } from './upload/service.js';

let fixture: UploadFixture;
let client: UploadClient;

beforeAll(async () => {
  fixture = await UploadFixture.open();
  client = new UploadClient({ baseUrl: fixture.url, token: fixture.token });
});
afterAll(() => fixture.close());

function status(...args: readonly string[]): ReturnType<typeof outcomeOf> {
  const env = { CUSTOM_DATA_URL: fixture.url, CUSTOM_DATA_TOKEN: fixture.token };
  return outcomeOf(env, 'status', '--family', 'cost', ...args);
}

test('a request is watched to its end, and shown after it', async () => {
  const { requestId } = await client.create('cost', Buffer.from(fileWith('cost', {})));
  const watched = await status(requestId, '--watch');
  expect(watched.code).toBe(0);
  const lines = watched.out.trimEnd().split('\n');
  expect(lines.at(-1)).toMatch(new RegExp(`^${requestId}  succeeded  created .*  updated `));
  expect((await status(requestId)).out).toBe(`${lines.at(-1)!}\n`);
});

test('a failed request is shown with its reason and ends with 1', async () => {
  const { requestId } = await client.create('cost', Buffer.from(fileWith('cost', { cost: 'x' })));
  await client.finished('cost', requestId);
  const { code, out, err } = await status(requestId);
  expect([code, err]).toEqual([1, 'error: the request has failed\n']);
  expect(out).toContain('\n  cost\n    row 2: "x" is not a number such as 12, -3.5 or 1.5e3\n');
});

test('as JSON each state is the record of the API', async () => {
  const { requestId } = await client.create('cost', Buffer.from(fileWith('cost', { cost: 'x' })));
  const { code, out } = await status(requestId, '--watch', '--json');
  expect(code).toBe(1);
  const last = JSON.parse(out.trimEnd().split('\n').at(-1)!) as unknown;
  expect(last).toEqual(await client.read('cost', requestId));
});

test('an unknown request ends with 1 and one line', async () => {
  const { code, out, err } = await status('01a1fc9e-cb33-7e3f-a132-7ca9a0f9c6bd');
  expect([code, out, err]).toEqual([
    1,
    '',
    'error: 404 Not Found: There is no such upload request.\n',
  ]);
});

test('without a token the command is not understood', async () => {
  const { code, err } = await outcomeOf({}, 'status', 'x', '--family', 'cost');
  expect([code, err]).toEqual([
    2,
    'error: there is no API token: set CUSTOM_DATA_TOKEN, or give --token-file\n',
  ]);
});
