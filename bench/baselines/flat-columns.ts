/** The columns of a cost file in a flat table, as a ClickHouse user would declare them. */
const COST = `
  date Date,
  channel LowCardinality(String),
  currency LowCardinality(String),
  campaign String,
  impressions UInt64,
  clicks UInt64,
  cost Float64,
  campaign_id String,
  ad_group String,
  country LowCardinality(String),
  os_name LowCardinality(String)`;

/** The same of a self-serve file. */
const SELF_SERVE = `
  date Date,
  channel LowCardinality(String),
  event_category String,
  event_value Float64,
  campaign String,
  event_source LowCardinality(String),
  os_name LowCardinality(String),
  country LowCardinality(String)`;

/** Acknowledged rows are on disk, as in the service's tables. */
export const SYNCED =
  'fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1';

export interface FlatSettings {
  readonly hasLowCardinality: boolean;
  /** Settings of the table besides those that sync. */
  readonly table: string;
  /** Bulk inserts at once. */
  readonly bulksAtOnce: number;
  readonly insert: Readonly<Record<string, number>>;
  /** Whether it makes no difference to one insert a file. */
  readonly isForBulk: boolean;
}

const PLAIN: FlatSettings = {
  hasLowCardinality: true,
  table: '',
  bulksAtOnce: 1,
  insert: {},
  isForBulk: false,
};
const BULK: FlatSettings = { ...PLAIN, isForBulk: true };

/** What was tried to make the baseline faster. `npm run bench -- baselines` measures all of it. */
export const TRIED = {
  plain: PLAIN,
  'merged ten at a time': { ...PLAIN, table: ', merge_selector_base = 10' },
  'without LowCardinality': { ...PLAIN, hasLowCardinality: false },
  'merged as the service does, without LowCardinality': {
    ...PLAIN,
    hasLowCardinality: false,
    table:
      ", merge_selector_base = 10, vertical_merge_algorithm_min_columns_to_activate = 1, string_serialization_version = 'single_stream'",
  },
  'two bulk inserts at once': { ...BULK, bulksAtOnce: 2 },
  'two bulk inserts at once, without LowCardinality': {
    ...BULK,
    bulksAtOnce: 2,
    hasLowCardinality: false,
  },
  'four insert threads': { ...BULK, insert: { max_insert_threads: 4 } },
  'blocks of four million rows': {
    ...BULK,
    insert: { max_insert_block_size: 4_194_304, min_insert_block_size_bytes: 2 ** 30 },
  },
} as const satisfies Record<string, FlatSettings>;
export type Tried = keyof typeof TRIED;

/**
 * The fastest of them, by the way of inserting. B1's goal is about one bulk insert: those with two at
 * once are shown by `baselines` alone.
 */
export const FASTEST: Readonly<Record<'insertFiles' | 'insertBulk', Tried>> = {
  insertFiles: 'merged as the service does, without LowCardinality',
  insertBulk: 'without LowCardinality',
};

/** The part of CREATE TABLE after the name. */
export function flatTable(
  family: 'cost' | 'self-serve',
  { hasLowCardinality, table }: FlatSettings,
): string {
  const declared = family === 'cost' ? COST : SELF_SERVE;
  const columns = hasLowCardinality
    ? declared
    : declared.replaceAll('LowCardinality(String)', 'String');
  const third = family === 'cost' ? 'campaign' : 'event_category';
  return `(${columns}) ENGINE = MergeTree ORDER BY (date, channel, ${third}) SETTINGS ${SYNCED}${table}`;
}
