CREATE TABLE IF NOT EXISTS {database}.self_serve{local}{everywhere}
(
    account LowCardinality(String),
    date Date,
    channel LowCardinality(String),
    event_category String,
    version UInt128,
    request_id UUID,
    uploaded_at DateTime('UTC'),
    -- What reports show: the key's group-by combinations, each with the sums of its rows.
    -- Texts that reports often ask for are elements of their own. The others are one, NUL between
    -- them, which no text has, in the order of the family's columns. Those behind the last one that a
    -- file has may be missing. Booleans are the words true and false.
    combinations Array(Tuple(
        event_value Float64,
        campaign String,
        ad_group String,
        ad_creative String,
        os_name String,
        country String,
        texts String
    )),
    -- The key's CSV rows, if they are not exactly its combinations; otherwise empty. All texts of a row
    -- are joined, first those that `combinations` keeps apart.
    csv_rows Array(Tuple(
        event_value Float64,
        texts String
    )),
    INDEX version_range version TYPE minmax
)
ENGINE = {Replicated}ReplacingMergeTree(version)
ORDER BY (account, date, channel, event_category)
SETTINGS
    -- A granule counts keys. 1,024 keys have about as many rows as a granule of a flat table.
    index_granularity = 1024,
    -- See `cost`.
    min_bytes_for_wide_part = 268435456,
    vertical_merge_algorithm_min_columns_to_activate = 1,
    string_serialization_version = 'single_stream',
    merge_selector_base = 10,
    max_cleanup_delay_period = 30,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1,
    replicated_deduplication_window = 0;

{on a cluster} CREATE TABLE IF NOT EXISTS {database}.self_serve{everywhere} AS {database}.self_serve{local}
ENGINE = Distributed({cluster}, {database}, self_serve{local}, cityHash64(account));
