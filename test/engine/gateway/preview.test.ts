import { gzipSync } from 'node:zlib';

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { dayOf } from '../../../src/domain/days.js';
import { MAX_FILE_BYTES } from '../../../src/domain/upload-limits.js';
import type { PreviewedFile } from '../../../src/preview/check-file.js';
import type { Preview } from '../../../src/preview/answer.js';
import { OpenCreates } from '../../../src/gateway/http/graceful-shutdown.js';
import { PreviewSlots } from '../../../src/gateway/preview/preview-slots.js';
import { PreviewUnavailableError } from '../../../src/preview/previewer.js';
import { expectProblem, form, post, uploadHeaders } from '../../support/gateway/forms.js';
import { eventually, type Gateway, OWNER, startGateway } from '../../support/gateway/gateway.js';

/** The HTTP side of previews. What they say is tested with the previewer. */

const PREVIEW: Preview = {
  valid: true,
  reason: null,
  rows: 1,
  keys: { total: 1, new: 1, replaced: 0, unchanged: 0 },
  compared: true,
  totals: { listed: [], more: 0 },
  replaced: [],
  warnings: [],
  asOf: '2026-03-10T00:00:00',
};
const FILE = form({ content: 'a,b\n1,2\n' });

let gateway: Gateway;
/** Files that are being previewed, and how to answer each. */
let running: { readonly file: PreviewedFile; readonly answer: () => void }[];

beforeEach(async () => {
  gateway = await startGateway();
  running = [];
  gateway.previewer.preview = (file) =>
    new Promise((resolve) => {
      const one = {
        file,
        answer: () => {
          running.splice(running.indexOf(one), 1);
          resolve(PREVIEW);
        },
      };
      running.push(one);
    });
});
afterEach(() => gateway.close());

function preview(
  body = FILE,
  token = OWNER,
  { family = 'cost', signal }: { family?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`http://127.0.0.1:${gateway.port}/custom-data-preview/v1.0/${family}`, {
    method: 'POST',
    headers: uploadHeaders(token),
    body,
    ...(signal !== undefined && { signal }),
  });
}

async function untilRunning(count: number): Promise<void> {
  const until = Date.now() + 20_000;
  while (running.length !== count) {
    if (Date.now() > until) throw new Error(`${running.length} run, not ${count}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('a file is checked with the facts of its account, and the preview is the answer', async () => {
  const answering = preview(FILE, 'seoul-token');
  await untilRunning(1);
  const { account, family, facts, parts } = running[0]!.file;
  expect({ account, family }).toEqual({ account: 'seoul', family: 'cost' });
  expect(Buffer.concat(parts).toString()).toBe('a,b\n1,2\n');
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Seoul' }).format(Date.now());
  expect(facts).toEqual({
    finding: null,
    requestDay: dayOf(day),
    integratedChannels: ['integrated.one'],
  });
  running[0]!.answer();
  const answer = await answering;
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await answer.json()).toEqual(PREVIEW);
});

test('gzip is unpacked, and a finding about it goes into the check', async () => {
  const content = 'x'.repeat(3 * MAX_FILE_BYTES);
  const answers = [
    preview(form({ content: gzipSync(content) }), OWNER, { family: 'self-serve' }),
    preview(form({ content: gzipSync(content).subarray(0, 99) }), 'other-token'),
  ];
  await untilRunning(2);
  const [first, second] = running.map(({ file }) => file);
  const [whole, broken] = first!.family === 'cost' ? [second!, first!] : [first!, second!];
  expect(Buffer.concat(whole.parts).equals(Buffer.from(content))).toBe(true);
  expect(broken.facts.finding).toBe('the gzip data ends before it is complete');
  // They move to the thread of previews.
  const buffers = new Set(whole.parts.map(({ buffer }) => buffer));
  expect(buffers.size).toBe(whole.parts.length);
  expect([...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(content.length);
  for (const { answer } of [...running]) answer();
  await Promise.all(answers);
});

test('what a create refuses is refused, in the same order', async () => {
  const url = `http://127.0.0.1:${gateway.port}/custom-data-preview/v1.0`;
  const large = form({ content: Buffer.alloc(MAX_FILE_BYTES + 1) });
  const { Authorization } = uploadHeaders() as { Authorization: string };
  const cases: [Promise<Response>, number][] = [
    [post(`${url}/costs`, FILE, {}), 404],
    [fetch(`${url}/cost`, { headers: { Authorization } }), 405],
    [post(`${url}/cost`, large, {}), 401],
    [post(`${url}/cost`, large, uploadHeaders('viewer-token')), 403],
    [post(`${url}/cost`, large, { Authorization }), 415],
    [post(`${url}/cost`, large), 413],
    [post(`${url}/cost`, form()), 400],
  ];
  for (const [answering, status] of cases) await expectProblem(await answering, status);
  expect(running).toEqual([]);
});

test('an account has one preview at a time, a gateway two; others wait for theirs', async () => {
  const answers = [
    preview(),
    preview(),
    preview(FILE, 'other-token'),
    preview(FILE, 'seoul-token'),
  ];
  await untilRunning(2);
  expect(new Set(running.map(({ file }) => file.account)).size).toBe(2);
  for (let left = 4; left > 0; left--) {
    await untilRunning(Math.min(2, left, left === 2 ? 1 : 2));
    running[0]!.answer();
  }
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 200, 200]);
});

test('a client that goes away while it waits leaves its place', async () => {
  const taking = jest.spyOn(PreviewSlots.prototype, 'take');
  const first = preview();
  await untilRunning(1);
  const going = new AbortController();
  const gone = preview(FILE, OWNER, { signal: going.signal });
  gone.catch(() => undefined);
  const last = preview();
  await eventually(() => taking.mock.calls.length === 3);
  taking.mockRestore();
  going.abort();
  await expect(gone).rejects.toThrow();
  await eventually(() => gateway.lines.some(({ outcome }) => outcome === 'client gone'));
  running[0]!.answer();
  expect((await first).status).toBe(200);
  await untilRunning(1);
  running[0]!.answer();
  expect((await last).status).toBe(200);
  expect(running).toEqual([]);
});

test('a fifth that waits is refused at once, and what takes over ten seconds is given up', async () => {
  const answers = [preview()];
  await untilRunning(1);
  const from = performance.now();
  answers.push(...Array.from({ length: 5 }, () => preview()));
  const refused = (await Promise.race(answers)).clone();
  expect(await expectProblem(refused, 503)).toContain('Nothing was stored');
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(performance.now() - from).toBeLessThan(5_000);
  const all = await Promise.all(answers);
  expect(all.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503, 503]);
  expect(performance.now() - from).toBeLessThan(15_000);
  // Its work goes on, and has the slot until it is done.
  expect(running).toHaveLength(1);
  const next = preview();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(running).toHaveLength(1);
  running[0]!.answer();
  await untilRunning(1);
  running[0]!.answer();
  expect((await next).status).toBe(200);
});

test('while the service stops no preview begins', async () => {
  gateway.app.get(OpenCreates).close();
  expect(await expectProblem(await preview(), 503)).toContain('This server is shutting down');
  expect(running).toEqual([]);
});

test('while the warehouse is away the answer is 503', async () => {
  gateway.previewer.preview = () => Promise.reject(new PreviewUnavailableError('away'));
  const answer = await preview();
  expect(answer.headers.get('retry-after')).toBe('5');
  await expectProblem(answer, 503);
  expect(gateway.lines.at(-1)).toMatchObject({ msg: 'preview', outcome: 'refused 503' });
});
