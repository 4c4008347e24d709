import { expect, test } from '@jest/globals';

import { COST } from '../../../../src/domain/families/index.js';
import { Arena } from '../../../../src/domain/memory.js';
import { ColumnMemory } from '../../../../src/ingest/prepare/prepare-pool.js';
import { prepareUpload } from '../../../../src/csv/prepare-upload.js';
import { csv, FACTS, goodRow } from '../../../support/files/files.js';

const MIB = 1024 * 1024;

test('no piece is lent twice before it is given back, and then it is lent again', () => {
  const memory = new ColumnMemory();
  const first = memory.lend(MIB)!;
  const second = memory.lend(MIB)!;
  expect(second).not.toBe(first);
  memory.giveBack(first);
  expect(memory.lend(MIB)).toBe(first);
  expect(memory.lend(MIB)).not.toBe(second);
});

test('there are so many pieces and no more, and none for a small file', () => {
  const memory = new ColumnMemory();
  expect(memory.lend(1_000)).toBeUndefined();
  const lent = Array.from({ length: 1_000 }, () => memory.lend(MIB)).filter(
    (piece) => piece !== undefined,
  );
  expect(new Set(lent).size).toBe(lent.length);
  const bytes = lent.reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(bytes).toBe(256 * MIB);
  memory.giveBack(lent[0]!);
  expect(memory.lend(MIB)).toBe(lent[0]);
});

test.each([
  ['the shortest rows', { cost: '1', impressions: '1', clicks: '1', channel: 'c' }],
  ['rows of text', { campaign_id: 'i'.repeat(40), ad_group: 'ä'.repeat(15) }],
])('a piece has room for the columns of the largest cost files: %s', (_name, values) => {
  const rows = Array.from({ length: 10_000 }, (_, row) =>
    goodRow('cost', { campaign: `${row}`, ...values }),
  );
  const file = Buffer.from(csv(rows));
  expect(file.length).toBeLessThan(1.1 * MIB);
  const arena = new Arena(new ColumnMemory().lend(MIB));
  const verdict = prepareUpload(COST, [file], FACTS, { arena });
  expect(verdict.valid).toBe(true);
  expect(arena.own).toHaveLength(0);
});
