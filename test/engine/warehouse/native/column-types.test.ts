import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import {
  blockOf,
  column,
  BOOL,
  DATE_TIME,
  DATE_TIME_MS,
  nullable,
  STRING,
  UINT128,
  UINT16,
  UINT32,
  UINT64,
  UUID,
  varint,
} from '../../../../src/warehouse/native/block.js';
import { openEmptyWarehouse, type TestWarehouse } from '../../../support/chdb/warehouse.js';
import { DATE, FLOAT64 } from '../../../support/model/native-rows.js';

let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openEmptyWarehouse();
});
afterAll(() => opened.close());

const MAX_UINT64 = 2n ** 64n - 1n;
const MAX_UINT128 = 2n ** 128n - 1n;
const LONG = 'ä€😀'.repeat(10_000);
const ID = '0193c2f0-1a2b-7c3d-8e4f-a5b6c7d8e9fa';

test.each([
  ['String', column('v', STRING, ['', "quote ' \\ \n\t\0", LONG]), ['', "quote ' \\ \n\t\0", LONG]],
  ['LowCardinality(String)', column('v', STRING, ['Android', 'android']), ['Android', 'android']],
  ['UInt16', column('v', UINT16, [0, 65_535]), [0, 65_535]],
  ['UInt32', column('v', UINT32, [0, 4_294_967_295]), [0, 4_294_967_295]],
  ['UInt64', column('v', UINT64, [1, MAX_UINT64]), ['1', String(MAX_UINT64)]],
  ['UInt128', column('v', UINT128, [1n, MAX_UINT128]), ['1', String(MAX_UINT128)]],
  ['Float64', column('v', FLOAT64, [0.1, -5e-324, 1e300]), [0.1, -5e-324, 1e300]],
  ['Bool', column('v', BOOL, [true, false]), [true, false]],
  ['Date', column('v', DATE, [0, 65_535]), ['1970-01-01', '2149-06-06']],
  [
    "DateTime('UTC')",
    column('v', DATE_TIME, [0, 4_294_967_295]),
    ['1970-01-01 00:00:00', '2106-02-07 06:28:15'],
  ],
  [
    "DateTime64(3, 'UTC')",
    column('v', DATE_TIME_MS, [0, 1_795_240_000_123]),
    ['1970-01-01 00:00:00.000', '2026-11-21 05:46:40.123'],
  ],
  ['UUID', column('v', UUID, [ID, ID.toUpperCase()]), [ID, ID]],
  ['Nullable(UInt16)', column('v', nullable(UINT16), [null, 0, 7]), [null, 0, 7]],
  ['Nullable(Bool)', column('v', nullable(BOOL), [null, false, true]), [null, false, true]],
  ['Nullable(String)', column('v', nullable(STRING), [null, '', 'x']), [null, '', 'x']],
])('%s is stored as it was written', async (type, values, stored) => {
  const { warehouse, database } = opened;
  const table = `t${type.replace(/\W/g, '')}`;
  await warehouse.execute(
    `CREATE TABLE ${database}.${table} (n UInt16, v ${type}) ENGINE = MergeTree ORDER BY n`,
  );
  const n = column('n', UINT16, [...stored.keys()]);
  await warehouse.insert(table, blockOf([n, values], stored.length));
  const rows = await warehouse.query<{ v: unknown }>(
    `SELECT v FROM ${database}.${table} ORDER BY n`,
  );
  expect(rows.map(({ v }) => v)).toEqual(stored);
});

describe('blockOf', () => {
  test('passes the parts of the columns on without copying them', () => {
    const parts = [Uint8Array.of(1, 2), Uint8Array.of(3)];
    const block = blockOf([{ name: 'a', type: 'UInt8', parts }], 3);
    expect(block.parts.slice(1)).toEqual(parts);
    expect(block.parts[1]).toBe(parts[0]);
    expect(Buffer.from(block.parts[0]!).toString('latin1')).toBe('\x01\x03\x01a\x05UInt8');
  });

  test('says what the columns are', () => {
    const block = blockOf([column('a', STRING, ['x']), column('b', UUID, [ID])], 1);
    expect(block.columns).toEqual([
      { name: 'a', type: 'String' },
      { name: 'b', type: 'UUID' },
    ]);
  });
});

test('a length takes seven bits a byte', () => {
  expect([...varint(0)]).toEqual([0]);
  expect([...varint(127)]).toEqual([127]);
  expect([...varint(128)]).toEqual([0x80, 1]);
  expect([...varint(2 ** 35)]).toEqual([0x80, 0x80, 0x80, 0x80, 0x80, 1]);
});

test('a value out of range is refused', () => {
  expect(() => UINT16.write([65_536])).toThrow(/out of range|not a UUID/);
  expect(() => UINT64.write([-1])).toThrow(/out of range|not a UUID/);
  expect(() => UINT128.write([-1n])).toThrow(/out of range|not a UUID/);
  expect(() => UINT128.write([2n ** 128n])).toThrow(/out of range|not a UUID/);
  expect(() => UUID.write(['0193c2f0'])).toThrow(/out of range|not a UUID/);
});
