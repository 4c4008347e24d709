import { expect, test } from '@jest/globals';

import { COST } from '../../../../src/domain/families/index.js';
import { blockOfKeys, keysInPieces } from '../../../../src/warehouse/rows/read-back.js';
import type { UploadToStore } from '../../../../src/warehouse/row-store.js';
import {
  STRING,
  UINT128,
  UINT32,
  blockOf,
  column,
} from '../../../../src/warehouse/native/block.js';
import { dayOf } from '../../../../src/domain/days.js';
import { csv, goodRow, verdictOn } from '../../../support/files/files.js';
import { DATE } from '../../../support/model/native-rows.js';

/** Returns an upload of `keys` keys. The length of every third campaign takes two bytes. */
function upload(account: string, version: bigint, keys: number): UploadToStore {
  const rows = Array.from({ length: keys }, (_, index) =>
    goodRow('cost', { campaign: campaign(account, index), date: '2026-03-01' }),
  );
  const verdict = verdictOn('cost', csv(rows));
  if (!verdict.valid) throw new Error(verdict.reason);
  return {
    requestId: '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa',
    account,
    version,
    uploadedAt: 1_750_000_000,
    prepared: verdict.upload,
  };
}

function campaign(account: string, index: number): string {
  return `${account} ${index} ${'ü'.repeat(index % 3 === 0 ? 100 : 1)}`;
}

const uploads = [upload('a', 1n, 2), upload('b', 2n, 7), upload('c', 3n, 1)];

test.each([1, 2, 3, 5, 9, 10, 1_000])('pieces of %d keys have every key once', (most) => {
  const pieces = [...keysInPieces(uploads, most)];
  const sizes = pieces.map((piece) => piece.reduce((sum, { keys }) => sum + keys, 0));
  expect(sizes.slice(0, -1).every((size) => size === most)).toBe(true);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10);
  const campaigns = pieces.flat().map(({ columns }) => Buffer.from(columns[2]!));
  const all = uploads.flatMap(({ account, prepared: { keys } }) =>
    Array.from({ length: keys }, (_, index) => campaign(account, index)),
  );
  expect(Buffer.concat(campaigns)).toEqual(STRING.write(all));
});

test('a block has the keys side by side, with what tells the uploads apart', () => {
  const [, piece] = [...keysInPieces(uploads, 4)];
  const names = [2, 3, 4, 5].map((index) => campaign('b', index));
  const expected = blockOf(
    [
      column('upload', UINT32, [0, 0, 0, 0]),
      column('account', STRING, ['b', 'b', 'b', 'b']),
      column('date', DATE, Array<number>(4).fill(dayOf('2026-03-01'))),
      column('channel', STRING, Array<string>(4).fill('Search')),
      column('campaign', STRING, names),
      column('version', UINT128, [2n, 2n, 2n, 2n]),
    ],
    4,
  );
  const block = blockOfKeys(COST, piece!);
  expect(block.rows).toBe(4);
  expect(Buffer.concat(block.parts)).toEqual(Buffer.concat(expected.parts));
});
