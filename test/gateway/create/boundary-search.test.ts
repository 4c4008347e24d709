import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import busboy from 'busboy';
import fc from 'fast-check';
import { refuseCutHeaders, searchNatively } from '../../../src/gateway/create/boundary-search.js';

const BOUNDARY = 'x-x';
const NEEDLE = `\r\n--${BOUNDARY}`;

/** Whatever a form is made of: parts, their headers, and what resembles a boundary or begins one. */
const pieces = fc.oneof(
  { weight: 6, arbitrary: fc.nat(NEEDLE.length).map((length) => NEEDLE.slice(0, length)) },
  { weight: 2, arbitrary: fc.constantFrom('\r', '\n', '\r\n', '-', '--', 'x', '--x-x', '--x-x--') },
  {
    weight: 2,
    arbitrary: fc.constant(`${NEEDLE}\r\ncontent-disposition: form-data; name="a"\r\n\r\n`),
  },
  {
    weight: 2,
    arbitrary: fc.constant(
      `${NEEDLE}\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n`,
    ),
  },
  { weight: 1, arbitrary: fc.constant(`${NEEDLE}--`) },
  { weight: 2, arbitrary: fc.string({ maxLength: 60 }) },
);

/** What busboy tells of a body that comes in pieces of these sizes, in the order in which it does. */
async function told(body: Buffer, sizes: readonly number[], isNative: boolean): Promise<string[]> {
  const events: string[] = [];
  const form = busboy({ headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } });
  refuseCutHeaders(form);
  if (isNative) searchNatively(form);
  let files = 0;
  form.on('file', (name, file, { filename }) => {
    const number = files++;
    let content = '';
    events.push(`file ${name} ${filename}`);
    file.on('data', (bytes: Buffer) => (content += bytes.toString('latin1')));
    file.on('end', () => events.push(`end of file ${number}: ${content}`));
    file.on('error', (error: Error) => events.push(`error of file ${number}: ${error.message}`));
  });
  form.on('field', (name, value) => events.push(`field ${name}: ${value}`));
  const closed = new Promise<void>((resolve) => {
    form.on('error', (error: Error) => events.push(`error: ${error.message}`));
    form.on('close', resolve);
  });
  for (let at = 0, i = 0; at < body.length; i++) {
    const size = sizes[i % sizes.length]!;
    form.write(body.subarray(at, at + size));
    at += size;
  }
  form.end();
  await closed;
  // A file's stream may end after the form.
  await setImmediate();
  return events;
}

test('a form is read as with the search of the library, whatever it has and however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(pieces, { maxLength: 25 }),
      fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 8 }),
      async (parts, sizes) => {
        const body = Buffer.from(parts.join(''));
        expect(await told(body, sizes, true)).toEqual(await told(body, sizes, false));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a piece without a boundary is not given to the search of the library', () => {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  const form = busboy({ headers });
  const search = (form as unknown as { _bparser: { push: (piece: Buffer, from: number) => void } })
    ._bparser;
  const pushed: string[] = [];
  const push = search.push.bind(search);
  search.push = (piece, from) => {
    pushed.push(piece.toString());
    push(piece, from);
  };
  searchNatively(form);
  // The first one comes after the line break that busboy begins with.
  for (const piece of ['a,b\n', '1,2\n', '\r\n--x-', '3,4\n', '5,6\n', '7,8\r']) {
    form.write(Buffer.from(piece));
  }
  expect(pushed).toEqual(['a,b\n', '\r\n--x-', '3,4\n', '7,8\r']);
  form.on('error', () => undefined).destroy();
});

test.each([
  ['more behind it', `--${BOUNDARY}\r\n--\r\nmore`],
  ['an empty file', `--${BOUNDARY}--\r\n`],
  ['another part', `--${BOUNDARY}\r\ncontent-disposition: form-data; name="a"\r\n\r\n`],
])('a boundary in the header of a part, and %s, is an error', async (_, rest) => {
  const header = 'content-disposition: form-data; name="file"; filename="f"';
  const body = Buffer.from(`--${BOUNDARY}\r\n${header}\r\n\r\n${rest}`);
  for (let size = 1; size <= body.length; size++) {
    expect(await told(body, [size], true)).toContain('error: Malformed part header');
  }
});
