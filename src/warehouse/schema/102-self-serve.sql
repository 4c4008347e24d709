CREATE TABLE IF NOT EXISTS {database}.self_serve
(
    account LowCardinality(String),
    date Date,
    channel LowCardinality(String),
    event_category String,
    version UInt128,
    request_id UUID,
    uploaded_at DateTime('UTC'),
    -- The key's rows. Their texts are one, NUL between them, which no text has: what a file leaves out costs
    -- nothing. Their order is that of the family's columns; those behind the last one that a file has may
    -- be missing.
    csv_rows Array(Tuple(
        event_value Float64,
        is_first_event_per_device_id Nullable(Bool),
        is_first_event_per_user_id Nullable(Bool),
        texts String
    )),
    INDEX version_range version TYPE minmax
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (account, date, channel, event_category)
SETTINGS
    min_bytes_for_wide_part = 268435456,
    -- See `cost`.
    merge_selector_base = 10,
    max_cleanup_delay_period = 30,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;
