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
    -- The key's rows. Their texts are one, NUL between them, which no text has: what a file leaves out costs
    -- nothing. Their order is that of the family's columns; those behind the last one that a file has may
    -- be missing.
    csv_rows Array(Tuple(
        impressions UInt64,
        clicks UInt64,
        cost Float64,
        texts String
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
    -- Ten or so parts of one size are merged, not five: a row is written less often on its way to a large
    -- part. Rows are wide, merging is what a stored row costs most.
    merge_selector_base = 10,
    -- What a merge has replaced is deleted within a minute, on a server once its `old_parts_lifetime` is
    -- over. The engine would wait up to five minutes, and parts that wait take memory, 20 KB each, and
    -- space on the disk.
    max_cleanup_delay_period = 30,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;
