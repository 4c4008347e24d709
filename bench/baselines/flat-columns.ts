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

/** By family, the part of CREATE TABLE after the name. */
export const FLAT_TABLES = {
  cost: `(${COST}) ENGINE = MergeTree ORDER BY (date, channel, campaign) SETTINGS ${SYNCED}`,
  'self-serve': `(${SELF_SERVE}) ENGINE = MergeTree
    ORDER BY (date, channel, event_category) SETTINGS ${SYNCED}`,
};
