-- One row holds all rows of an overwrite key, so that the row with the highest version replaces the
-- key as a whole. Acknowledged means on disk: parts and their folders are synced.
--
-- Inserted parts are compact (few files to sync); merged ones above 256 MiB are wide, so that a
-- report reads the columns that it names.

CREATE TABLE IF NOT EXISTS {database}.cost{local}{everywhere}
(
    account LowCardinality(String),
    date Date,
    channel LowCardinality(String),
    campaign String,
    version UInt128,
    request_id UUID,
    uploaded_at DateTime('UTC'),
    -- What reports show: the key's group-by combinations, each with the sums of its rows. A combination
    -- whose rows are all zero is left out.
    -- Texts that reports often ask for are elements of their own. The others are one, NUL between
    -- them, which no text has, in the order of the family's columns. Those behind the last one that a
    -- file has may be missing.
    combinations Array(Tuple(
        impressions UInt64,
        clicks UInt64,
        cost Float64,
        currency String,
        campaign_id String,
        ad_group String,
        ad_creative String,
        country String,
        os_name String,
        texts String
    )),
    -- The key's CSV rows, if they are not exactly its combinations; otherwise empty. All texts of a row
    -- are joined, first those that `combinations` keeps apart.
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
ENGINE = {Replicated}ReplacingMergeTree(version)
ORDER BY (account, date, channel, campaign)
SETTINGS
    -- A granule counts keys. 1,024 keys have about as many rows as a granule of a flat table.
    index_granularity = 1024,
    min_bytes_for_wide_part = 268435456,
    -- Merges into wide parts merge the keys first, then column by column: a third less processor time.
    vertical_merge_algorithm_min_columns_to_activate = 1,
    -- A length before each text, of one byte mostly. The engine's default is a column of lengths, of
    -- eight bytes each: tables are a tenth larger then, and no report asks for lengths.
    string_serialization_version = 'single_stream',
    -- Ten or so parts of one size are merged, not five: a row is written less often on its way to a large
    -- part. Rows are wide, merging is what a stored row costs most.
    merge_selector_base = 10,
    -- What a merge has replaced is deleted within a minute, on a server once its `old_parts_lifetime` is
    -- over. The engine would wait up to five minutes, and parts that wait take memory, 20 KB each, and
    -- space on the disk.
    max_cleanup_delay_period = 30,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1,
    -- A replicated table would skip an insert that it knows, together with a view whose own insert had
    -- failed. Writing twice is harmless.
    replicated_deduplication_window = 0;

{on a cluster} CREATE TABLE IF NOT EXISTS {database}.cost{everywhere} AS {database}.cost{local}
ENGINE = Distributed({cluster}, {database}, cost{local}, cityHash64(account));
