import { setImmediate } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { strictForm } from '../../../../../src/gateway/create/receive/strict-form.js';

const BOUNDARY = 'x-x';
const NEEDLE = `\r\n--${BOUNDARY}`;
const FIELD = 'content-disposition: form-data; name="a"\r\n\r\n';
const FILE = 'content-disposition: form-data; name="file"; filename="f"\r\n\r\n';

/** The pieces of a form, and text that resembles or begins a boundary. */
const pieces = fc.oneof(
  { weight: 6, arbitrary: fc.nat(NEEDLE.length).map((length) => NEEDLE.slice(0, length)) },
  { weight: 2, arbitrary: fc.constantFrom('\r', '\n', '\r\n', '-', '--', 'x', '--x-x', '--x-x--') },
  { weight: 4, arbitrary: fc.constantFrom(`${NEEDLE}\r\n${FIELD}`, `${NEEDLE}\r\n${FILE}`) },
  { weight: 1, arbitrary: fc.constant(`${NEEDLE}--`) },
  { weight: 2, arbitrary: fc.string({ maxLength: 60 }) },
);

/**
 * Returns how a form ends whose body arrives in pieces of these sizes: with an error, without one,
 * or not at all.
 */
async function ending(body: Buffer, sizes: readonly number[]): Promise<string> {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  const form = strictForm({ headers });
  form.on('file', (_, file) => file.on('error', () => undefined).resume());
  form.on('field', () => undefined);
  let end: string | undefined;
  form.on('error', ({ message }: Error) => (end ??= message));
  form.on('close', () => (end ??= 'complete'));
  for (let at = 0, i = 0; at < body.length; i++) {
    const size = sizes[i % sizes.length]!;
    form.write(body.subarray(at, at + size));
    at += size;
  }
  form.end();
  // Nothing waits for another process. A form that has not ended by then never ends.
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  return end ?? 'waits for ever';
}

test('every form comes to an end, whatever it has, and to the same however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(pieces, { maxLength: 25 }),
      fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 8 }),
      async (parts, sizes) => {
        const body = Buffer.from(parts.join(''));
        const asOne = await ending(body, [body.length]);
        expect(asOne).not.toBe('waits for ever');
        expect(await ending(body, sizes)).toBe(asOne);
      },
    ),
    { numRuns: 3_000 },
  );
});

test.each([
  ['more behind it', `--${BOUNDARY}\r\n--\r\nmore`],
  ['the end of the form', `--${BOUNDARY}--\r\n`],
  ['another part', `--${BOUNDARY}\r\n${FIELD}`],
])('a boundary in the header of a part, and %s, is an error', async (_, rest) => {
  const body = Buffer.from(`--${BOUNDARY}\r\n${FILE}${rest}`);
  for (let size = 1; size <= body.length; size++) {
    expect(await ending(body, [size])).toBe('Malformed part header');
  }
});

test.each(['\r', '-'])(
  'a boundary right behind another and a lone %j is none too few',
  async (lone) => {
    const body = Buffer.from(`${NEEDLE}${lone}${NEEDLE}--`);
    for (let size = 1; size <= body.length; size++) {
      expect(await ending(body, [size])).toBe('complete');
    }
  },
);

test('what lies behind the last boundary is ignored', async () => {
  const part = `${NEEDLE}\r\n${FILE}more`;
  const body = Buffer.from(`--${BOUNDARY}\r\n${FILE}${NEEDLE}--${part}${part}`);
  for (let size = 1; size <= body.length; size++) {
    expect(await ending(body, [size])).toBe('complete');
  }
});

test('a form of a field and a file is read', async () => {
  const body = Buffer.from(
    `--${BOUNDARY}\r\n${FIELD}v${NEEDLE}\r\n${FILE}${NEEDLE.slice(0, -1)}${NEEDLE}--\r\n`,
  );
  for (let size = 1; size <= body.length; size++) {
    expect(await ending(body, [size])).toBe('complete');
  }
});
