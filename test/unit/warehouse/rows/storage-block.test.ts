import { expect, test } from '@jest/globals';

import { COST, type Family, SELF_SERVE } from '../../../../src/domain/families/index.js';
import { Arena } from '../../../../src/domain/memory.js';
import { storageBlock } from '../../../../src/warehouse/rows/storage-block.js';
import { storageBlock as plainBlock, type StoredKey } from '../../../support/model/native-rows.js';
import { csv, goodRow, verdictOn } from '../../../support/files/files.js';

/** The uploads of a batch form one block, the same as if each row were written on its own. */

const flags = [{ is_first_event_per_device_id: 'true' }, { is_first_event_per_device_id: '' }];

const upload = (index: number): Omit<StoredKey, 'date' | 'channel' | 'third' | 'rows'> => ({
  account: `account ${index}`,
  version: BigInt(index) << 100n,
  requestId: `0193c2f0-1a2b-7c3d-8e4f-00000000000${index}`,
  uploadedAt: 1_750_000_000 + index,
});

const ARENA_BYTES = 100_000;

/** Returns memory that another block has used. */
function usedArena(): Arena {
  const arena = new Arena(new ArrayBuffer(ARENA_BYTES));
  arena.bytes(ARENA_BYTES).fill(0xaa);
  arena.clear();
  return arena;
}

/** Returns memory with room only for the first column's part. */
function fullArena(): Arena {
  const arena = new Arena(new ArrayBuffer(ARENA_BYTES));
  arena.bytes(ARENA_BYTES - 16).fill(0xaa);
  return arena;
}

function expectBlock(family: Family, files: readonly string[], keys: readonly StoredKey[]): void {
  const uploads = files.map((file, index) => {
    const verdict = verdictOn(family.name, file);
    if (!verdict.valid) throw new Error(verdict.reason);
    return { ...upload(index), prepared: verdict.upload };
  });
  const expected = Buffer.concat(plainBlock(family.table, keys).parts);
  for (const arena of [usedArena(), fullArena()]) {
    const actual = Buffer.concat(storageBlock(family, uploads, arena).parts);
    expect(actual.toString('latin1')).toBe(expected.toString('latin1'));
  }
}

test('self-serve uploads with flags that are true, false and absent', () => {
  const key = { date: '2026-03-01', channel: 'Search', third: 'Signups' };
  expectBlock(
    SELF_SERVE,
    [
      csv(flags.map((flag) => goodRow('self-serve', flag))),
      csv([goodRow('self-serve')]),
      csv([goodRow('self-serve', { is_first_event_per_user_id: 'false' })]),
    ],
    [
      {
        ...upload(0),
        ...key,
        rows: [
          { event_value: 3, is_first_event_per_device_id: true },
          { event_value: 3, is_first_event_per_device_id: null },
        ],
      },
      { ...upload(1), ...key, rows: [{ event_value: 3 }] },
      { ...upload(2), ...key, rows: [{ event_value: 3, is_first_event_per_user_id: false }] },
    ],
  );
});

test('uploads with rows that agree, whose CSV rows are stored too', () => {
  const key = { date: '2026-03-01', channel: 'Search', third: 'Signups' };
  const values = ['true', 'false', 'true'].map((flag) =>
    goodRow('self-serve', { is_first_event_per_user_id: flag, content: 'c', campaign: flag }),
  );
  const rows = [true, false, true].map((flag) => ({
    event_value: 3,
    is_first_event_per_user_id: flag,
    content: 'c',
    campaign: String(flag),
  }));
  const once = goodRow('self-serve', { is_first_event_per_user_id: 'false' });
  expectBlock(
    SELF_SERVE,
    [csv(values), csv([once]), csv(values)],
    [
      { ...upload(0), ...key, rows },
      { ...upload(1), ...key, rows: [{ event_value: 3, is_first_event_per_user_id: false }] },
      { ...upload(2), ...key, rows },
    ],
  );
});

test('cost uploads with rows of zeros, and with rows that agree', () => {
  const key = { date: '2026-03-01', channel: 'Search', third: 'Spring' };
  const zero = { impressions: '0', clicks: '0', cost: '0' };
  const row = { currency: 'EUR', impressions: 100, clicks: 10, cost: 1.5, term: 't' };
  const values = goodRow('cost', { term: 't' });
  expectBlock(
    COST,
    [csv([values, { ...values, ...zero }, values]), csv([{ ...values, ...zero }])],
    [
      { ...upload(0), ...key, rows: [row, { ...row, impressions: 0, clicks: 0, cost: 0 }, row] },
      { ...upload(1), ...key, rows: [{ ...row, impressions: 0, clicks: 0, cost: 0 }] },
    ],
  );
});

test('cost uploads with columns of their own', () => {
  const key = { date: '2026-03-01', channel: 'Search', third: 'Spring' };
  const row = { currency: 'EUR', impressions: 100, clicks: 10, cost: 1.5 };
  expectBlock(
    COST,
    [csv([goodRow('cost', { ad_group: 'a' })]), csv([goodRow('cost', { country: 'de' })])],
    [
      { ...upload(0), ...key, rows: [{ ...row, ad_group: 'a' }] },
      { ...upload(1), ...key, rows: [{ ...row, country: 'de' }] },
    ],
  );
});
