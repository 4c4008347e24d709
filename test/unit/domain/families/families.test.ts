import { describe, expect, test } from '@jest/globals';

import {
  COST,
  FAMILIES,
  familyNamed,
  isFamilyName,
  keyColumns,
  rowColumns,
  SELF_SERVE,
  textColumns,
  valueColumns,
} from '../../../../src/domain/families/index.js';
import { columnsOf, requiredOf } from '../../../support/model/model.js';

describe.each(FAMILIES)('the columns of a $name file', (family) => {
  test('are those of the specification', () => {
    expect(family.columns.map(({ name }) => name).sort()).toEqual(columnsOf(family.name).sort());
  });

  test('are required where the specification says so', () => {
    const required = family.columns.filter((column) => column.required);
    expect(required.map(({ name }) => name).sort()).toEqual([...requiredOf(family.name)].sort());
  });

  test('are either of the key or stored with each row', () => {
    const split = [...keyColumns(family), ...rowColumns(family)];
    expect(new Set(split)).toEqual(new Set(family.columns));
    expect(split).toHaveLength(family.columns.length);
  });

  test('of a row are either a value or a text', () => {
    const split = [...valueColumns(family), ...textColumns(family)];
    expect(new Set(split)).toEqual(new Set(rowColumns(family)));
    expect(split).toHaveLength(rowColumns(family).length);
  });

  test('of the key are required: a row without a key could not be replaced', () => {
    expect(keyColumns(family).every(({ required }) => required)).toBe(true);
  });
});

test('the overwrite keys are those of the specification', () => {
  expect(keyColumns(COST).map(({ name }) => name)).toEqual(['date', 'channel', 'campaign']);
  expect(keyColumns(SELF_SERVE).map(({ name }) => name)).toEqual([
    'date',
    'channel',
    'event_category',
  ]);
});

test('the order in which texts are stored only grows at its end', () => {
  expect(textColumns(COST).map(({ name }) => name)).toEqual([
    ...['currency', 'campaign_id', 'ad_group', 'ad_creative', 'country', 'os_name'],
    ...['ad_group_id', 'ad_creative_id', 'term', 'term_id', 'ad_account', 'ad_account_id'],
    ...['sub_publisher', 'sub_sub_publisher_1', 'sub_sub_publisher_2', 'sub_sub_publisher_3'],
  ]);
  expect(textColumns(SELF_SERVE).map(({ name }) => name)).toEqual([
    ...['campaign', 'ad_group', 'ad_creative', 'os_name', 'country'],
    ...['content', 'event_source', 'term', 'currency'],
    ...['sub_publisher', 'sub_sub_publisher_1', 'sub_sub_publisher_2', 'sub_sub_publisher_3'],
    ...['is_first_event_per_device_id', 'is_first_event_per_user_id'],
  ]);
});

test('the first text of a cost row is its currency: the totals take it from there', () => {
  expect(textColumns(COST)[0]).toMatchObject({ kind: 'currency', required: true });
});

test('the texts of a row are so few that 16 NULs are enough, and two bytes for their length', () => {
  for (const family of FAMILIES) {
    const texts = textColumns(family);
    expect(texts.length).toBeLessThanOrEqual(17);
    const bytes = texts.map(({ kind }) => (kind === 'text' ? 4 * 256 : 16));
    const sum = bytes.reduce((total, each) => total + each, 0);
    expect(sum + texts.length - 1).toBeLessThan(2 ** 14);
  }
});

test('the metrics are those of the specification', () => {
  const metrics = FAMILIES.map(({ columns }) =>
    columns.filter(({ role }) => role === 'metric').map(({ name }) => name),
  );
  expect(metrics).toEqual([['impressions', 'clicks', 'cost'], ['event_value']]);
});

test('the limits are those of the specification', () => {
  expect(COST).toMatchObject({
    maxRows: 10_000,
    dateWindowDays: undefined,
    optionalMayBeBlank: false,
  });
  expect(SELF_SERVE).toMatchObject({
    maxRows: undefined,
    dateWindowDays: 92,
    optionalMayBeBlank: true,
  });
});

test('a family is found by its name, which is its path segment', () => {
  expect([familyNamed('cost'), familyNamed('self-serve')]).toEqual([COST, SELF_SERVE]);
  expect(['cost', 'self-serve'].every(isFamilyName)).toBe(true);
  expect(['Cost', 'self_serve', '', 'toString'].some(isFamilyName)).toBe(false);
});
