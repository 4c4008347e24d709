/** The columns of a cost file as a flat table has them, and as a user of ClickHouse would type them. */
export const FLAT_COLUMNS = `
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

/** Acknowledged means on disk, as in the service's tables. */
export const SYNCED =
  'fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1';

/** What follows the name in the statement that creates the table. */
export const FLAT_TABLE = `(${FLAT_COLUMNS}) ENGINE = MergeTree
  ORDER BY (date, channel, campaign) SETTINGS ${SYNCED}`;
