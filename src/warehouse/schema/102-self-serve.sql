CREATE TABLE IF NOT EXISTS {database}.self_serve
(
    account LowCardinality(String),
    date Date,
    channel LowCardinality(String),
    event_category String,
    version UInt128,
    request_id UUID,
    uploaded_at DateTime('UTC'),
    rows Array(Tuple(
        event_value Float64,
        campaign String,
        ad_group String,
        ad_creative String,
        content String,
        event_source String,
        os_name String,
        term String,
        country String,
        currency String,
        sub_publisher String,
        sub_sub_publisher_1 String,
        sub_sub_publisher_2 String,
        sub_sub_publisher_3 String,
        is_first_event_per_device_id Nullable(Bool),
        is_first_event_per_user_id Nullable(Bool)
    )),
    INDEX version_range version TYPE minmax
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (account, date, channel, event_category)
SETTINGS
    min_bytes_for_wide_part = 268435456,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;
