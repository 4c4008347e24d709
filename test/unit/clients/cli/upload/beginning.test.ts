import { Readable } from 'node:stream';

import { expect, test } from '@jest/globals';

import { Beginning } from '../../../../../src/clients/cli/upload/beginning.js';
import { LOOKED_AT_BYTES } from '../../../../../src/csv/spreadsheet/hint.js';
import { COST } from '../../../../../src/domain/families/index.js';
import { csv, goodRow, reasonFor } from '../../../../support/files/files.js';

async function hintOf(pieces: readonly Buffer[]): Promise<string | undefined> {
  const beginning = new Beginning();
  const passed: Buffer[] = [];
  const read = beginning.of(Readable.from(pieces) as AsyncIterable<Buffer>);
  for await (const piece of read) passed.push(piece);
  expect(passed).toEqual(pieces);
  return beginning.hint(COST);
}

const plain = Buffer.from(csv(Array.from({ length: 1_000 }, () => goodRow('cost'))));
const late = (text: Buffer): Buffer => {
  const [row] = csv([goodRow('cost', { campaign: '?' })])
    .split('\n')
    .slice(1);
  const [before, after] = row!.split('?') as [string, string];
  return Buffer.concat([plain, Buffer.from(before), text, Buffer.from(`${after}\n`)]);
};

test('another encoding is seen wherever it begins, as the service sees it', async () => {
  expect(plain.length).toBeGreaterThan(LOOKED_AT_BYTES);
  const file = late(Buffer.from('Größe', 'latin1'));
  const hint = await hintOf([file.subarray(0, 20_000), file.subarray(20_000)]);
  expect(hint).toContain('text in Windows-1252');
  expect(reasonFor('cost', file)['file']!.at(-1)).toBe(hint);
});

test('UTF-8 is UTF-8 wherever the pieces begin, unless it is cut at the end', async () => {
  const characters = Buffer.from('é€😀');
  const file = late(characters);
  const from = file.indexOf(characters) - 1;
  for (let at = from; at <= from + characters.length + 2; at++) {
    const pieces = [file.subarray(0, at), file.subarray(at, at + 1), file.subarray(at + 1)];
    expect(await hintOf(pieces)).toBeUndefined();
  }
  const cut = file.subarray(0, file.indexOf(characters) + 1);
  expect(await hintOf([cut])).toContain('text in Windows-1252');
});
