-- One row holds all rows of an overwrite key, so that the row with the highest version replaces the
-- key as a whole. Acknowledged means on disk: parts and their folders are synced.
--
-- Inserted parts are compact (few files to sync); merged ones above 256 MiB are wide, so that a
-- report reads the columns that it names.

CREATE TABLE IF NOT EXISTS {database}.cost
(
    account LowCardinality(String),
    date Date,
    channel LowCardinality(String),
    campaign String,
    version UInt128,
    request_id UUID,
    uploaded_at DateTime('UTC'),
    rows Array(Tuple(
        currency String,
        impressions UInt64,
        clicks UInt64,
        cost Float64,
        campaign_id String,
        ad_group String,
        ad_group_id String,
        ad_creative String,
        ad_creative_id String,
        term String,
        term_id String,
        ad_account String,
        ad_account_id String,
        sub_publisher String,
        sub_sub_publisher_1 String,
        sub_sub_publisher_2 String,
        sub_sub_publisher_3 String,
        country String,
        os_name String
    )),
    -- One entry per currency of the key that has a row which is not all zero.
    totals Array(Tuple(
        currency String,
        impressions UInt64,
        clicks UInt64,
        cost Float64
    )),
    INDEX version_range version TYPE minmax
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (account, date, channel, campaign)
SETTINGS
    min_bytes_for_wide_part = 268435456,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;
